export { llama } from "./child/main.ts";
