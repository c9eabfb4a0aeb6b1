import type { Message, Part } from "../../shared/message.ts";
import type { Store } from "./store.ts";
import type { Turn } from "./turn.ts";

/** Stores the user's row as pending: it is on disk before any model is called. */
export function appendUserMessage(store: Store, turn: Turn, context: string, now: number): Message {
  const text: Part = { type: "text", text: turn.input };
  return store.append({
    sessionId: turn.sessionId,
    turnId: turn.id,
    role: "user",
    status: "pending",
    parts: context === "" ? [text] : [{ type: "context", text: context }, text],
    createdAt: now,
  });
}
