import { createRequire } from "node:module";

export const load = createRequire(import.meta.url);
