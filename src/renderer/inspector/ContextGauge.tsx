import type { Chat } from "../stores/chat.ts";

/** How much of the model's window this chat fills. */
export function ContextGauge({ chat }: { chat: Chat }) {
  return <small>{chat.id.length}</small>;
}
