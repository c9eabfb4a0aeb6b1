export { first } from "./unchecked-index";
