import type { Chat } from "../stores/chat.ts";

export function Inspector({ chat }: { chat: Chat }) {
  return <aside>{chat.id}</aside>;
}
