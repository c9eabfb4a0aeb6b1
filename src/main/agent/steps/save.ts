import { toWire } from "../../../shared/errors.ts";
import type { Message } from "../../../shared/message.ts";
import { settleCalls } from "../settle.ts";
import type { Step, Turn } from "../turn.ts";
import { appendUserMessage, closeUserMessage } from "../user-message.ts";

/**
 * Finishes the rows of the turn, also of one that failed or was stopped before it reached the model:
 * what the person typed is in the session, and an error is a row they can act on.
 */
export const save: Step<"ok"> = async (turn, { store, now }) => {
  const { error } = turn;
  store.atomically(() => {
    settleCalls(store, { sessionId: turn.sessionId, turnId: turn.id }, now());
    closeUserMessage(store, storedUserMessage(turn) ?? appendUserMessage(store, turn, "", now()), now());
    if (!error || error.code === "aborted" || turn.result) return; // the runner stored what it met itself
    store.append({
      sessionId: turn.sessionId,
      turnId: turn.id,
      role: "assistant",
      status: "incomplete",
      parts: [{ type: "error", error: toWire(error) }],
      createdAt: now(),
    });
  });
  return { outcome: "ok" };
};

/** As the runner left it, or as `build` stored it. */
const storedUserMessage = ({ result, userMessage }: Turn): Message | undefined =>
  result?.messages.find(({ id }) => id === userMessage?.id) ?? userMessage;
