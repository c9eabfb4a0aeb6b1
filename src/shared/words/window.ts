import type { Words } from "./word.ts";

export const window = {} as const satisfies Words;
