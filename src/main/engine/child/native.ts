/** What needs the native library, in one place: the child says hello before it is read. */
export { answer } from "./chat.ts";
export { loadEngine } from "./load.ts";
export { saveState } from "./state.ts";
