import type { Step } from "../turn.ts";

/** The answer as the channel shows it. What was already streamed is the same text. */
export const respond: Step<"ok"> = async (turn) => {
  return { outcome: "ok", reply: turn.result?.finalText ?? "" };
};
