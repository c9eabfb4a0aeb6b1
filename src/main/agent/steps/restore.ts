import type { Step } from "../turn.ts";

/** Finds or makes the session. */
export const restore: Step<"ok"> = async (turn, { store, signal, now }) => {
  signal.throwIfAborted();
  return { outcome: "ok", session: store.openSession(turn.sessionId, now()) };
};
