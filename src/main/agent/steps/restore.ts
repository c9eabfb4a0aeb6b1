import type { Step } from "../turn.ts";

/** Finds or makes the session and tells everyone that the turn started. */
export const restore: Step<"ok"> = async (turn, { store, emit, signal, now }) => {
  emit({ type: "turn.started", sessionId: turn.sessionId, turnId: turn.id, inboundId: turn.inboundId });
  signal.throwIfAborted();
  return { outcome: "ok", session: store.openSession(turn.sessionId, now()) };
};
