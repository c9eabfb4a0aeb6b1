import type { Chat } from "../stores/chat.ts";

/** Which model answers in this chat; a button beside the composer. */
export function ModelPicker({ chat }: { chat: Chat }) {
  return <small>{chat.id.length}</small>;
}
