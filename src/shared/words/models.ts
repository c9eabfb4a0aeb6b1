import type { Words } from "./word.ts";

export const models = {} as const satisfies Words;
