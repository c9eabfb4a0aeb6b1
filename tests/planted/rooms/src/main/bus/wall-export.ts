export * from "../agent/store.ts";
