import { historyShare } from "../history.ts";
import type { Step } from "../turn.ts";

/** Decides how much of the window the past may have. Never calls a model: that would delay every turn. */
export const compact: Step<"ok"> = async (turn, { signal, emit }) => {
  signal.throwIfAborted();
  if (turn.overflows === 0) return { outcome: "ok" };
  const text = `The conversation is too long for this model: the older part is left out of the prompt (it stays on screen), and ${Math.round(historyShare(turn.overflows) * 100)} % of the room is used.`;
  emit({ type: "notice", sessionId: turn.sessionId, turnId: turn.id, code: "context-overflow", text });
  return { outcome: "ok", notes: [text] };
};
