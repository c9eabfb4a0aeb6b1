import type { Words } from "./word.ts";

export const settings = {} as const satisfies Words;
