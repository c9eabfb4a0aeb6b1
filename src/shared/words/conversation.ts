import type { Words } from "./word.ts";

export const conversation = {} as const satisfies Words;
