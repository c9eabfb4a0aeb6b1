import type { Words } from "./word.ts";

export const trace = {} as const satisfies Words;
