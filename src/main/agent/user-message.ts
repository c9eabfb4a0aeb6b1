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

/** The user's row is no longer pending: it has its answer, or the turn is over. A closed one stays as it is. */
export function closeUserMessage(store: Store, message: Message, now: number): Message {
  if (message.status !== "pending") return message;
  return store.finish(message.id, { parts: message.parts, status: "complete", finishedAt: now });
}
