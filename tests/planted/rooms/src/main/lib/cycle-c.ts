export { a as c } from "./cycle-a.ts";
