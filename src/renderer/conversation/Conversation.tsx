import type { Chat } from "../stores/chat.ts";

export function Conversation({ chat }: { chat: Chat }) {
  return <main>{chat.id}</main>;
}
