import type { Words } from "./word.ts";

export const chats = {} as const satisfies Words;
