import { findCommand, withoutEscape } from "../commands.ts";
import type { Step, Turn, TurnDeps } from "../turn.ts";

/** A slash command is answered here, and the turn takes the shortcut; anything else goes to the model. */
export const command: Step<"dispatch" | "shortcut"> = async (turn, deps) => {
  deps.signal.throwIfAborted();
  const found = turn.userMessage ? undefined : findCommand(turn.input); // one that goes on was looked at before
  if (!found) return { outcome: "dispatch", input: withoutEscape(turn.input) };
  const { reply, nextSessionId, question } = await found.run(turn, deps);
  if (question !== undefined) return { outcome: "dispatch", input: question };
  if (found.keepsRows) storeRows(turn, reply, deps);
  return { outcome: "shortcut", reply, ...(nextSessionId && { nextSessionId }) };
};

/** Marked as command: shown in the session, never replayed to a model. */
function storeRows(turn: Turn, reply: string, { store, now }: TurnDeps): void {
  const row = {
    sessionId: turn.sessionId,
    turnId: turn.id,
    kind: "command",
    status: "complete",
    createdAt: now(),
  } as const;
  store.atomically(() => {
    store.append({ ...row, role: "user", parts: [{ type: "text", text: turn.input }] });
    store.append({ ...row, role: "assistant", parts: [{ type: "text", text: reply }] });
  });
}
