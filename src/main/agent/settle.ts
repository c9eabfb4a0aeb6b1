import { AppError } from "../../shared/errors.ts";
import type { Message } from "../../shared/message.ts";
import type { Decision, ToolCallRecord, ToolCallState } from "../../shared/turn.ts";
import { INTERRUPTED_RESULT } from "./governance.ts";
import type { Store } from "./store.ts";

/** Of a call that never started and never will. */
export const NOT_RUN = "Not run: the turn was stopped before it started.";

/** The calls that have their result. */
export const answeredIn = (rows: readonly Message[]): ReadonlySet<string> =>
  new Set(rows.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool-result" ? [part.callId] : []))));

interface About {
  readonly sessionId: string;
  readonly turnId: string;
}

/**
 * Gives every call of a turn its result, so that every provider accepts the history: what had not started is `skipped`,
 * what may have happened says so. Returns the rows that were added, in call order.
 */
export function settleCalls(store: Store, about: About, now: number): Message[] {
  return store.atomically(() => {
    const answered = answeredIn(store.turnMessages(about.turnId));
    return store
      .calls(about.turnId)
      .filter(({ id }) => !answered.has(id))
      .map((call) => {
        const happened = call.state === "unknown" || call.state === "running";
        store.setCall(about.turnId, call.id, { state: happened ? "unknown" : "skipped", endedAt: now });
        return addResult(store, about, call, happened ? INTERRUPTED_RESULT : NOT_RUN, now);
      });
  });
}

/** Leaves an interrupted turn as it is: nothing in it is open any more, and nothing waits for a decision. */
export function settleTurn(
  store: Store,
  { id: turnId, sessionId }: { id: string; sessionId: string },
  now: number,
): void {
  store.atomically(() => {
    settleCalls(store, { sessionId, turnId }, now);
    for (const { id, role, status, parts } of store.turnMessages(turnId)) {
      if (status !== "pending" && status !== "streaming") continue;
      store.finish(id, { parts, status: role === "user" ? "complete" : "incomplete", finishedAt: now });
    }
    store.setRecovery(turnId, undefined);
  });
}

/** What becomes of a call, and what the model is told. Run again: it is as if it had not been started. */
const decided: Readonly<Record<Exclude<Decision, "again">, { state: ToolCallState; text: string; summary: string }>> = {
  happened: {
    state: "finished",
    text: "The app was closed while this ran. The user has checked: it did happen. Do not do it again.",
    summary: "it happened, says the user",
  },
  "not-happened": {
    state: "failed",
    text: "The app was closed while this ran. The user has checked: it did not happen.",
    summary: "it did not happen, says the user",
  },
};

/** What the person found out about a call whose outcome is unknown. Throws not-found. */
export function decideCall(store: Store, about: About, callId: string, decision: Decision, now: number): void {
  const call = store.calls(about.turnId).find(({ id }) => id === callId);
  if (!call) throw new AppError("not-found", `There is no call ${callId} in this answer.`);
  store.atomically(() => {
    if (decision === "again") {
      store.setCall(about.turnId, callId, { state: "requested" });
      return;
    }
    const { state, text, summary } = decided[decision];
    store.setCall(about.turnId, callId, { state, endedAt: now, summary });
    addResult(store, about, call, text, now, state !== "finished");
  });
}

function addResult(
  store: Store,
  about: About,
  { id, name }: ToolCallRecord,
  text: string,
  now: number,
  failed = true,
): Message {
  const part = { type: "tool-result", callId: id, name, text, failed } as const;
  return store.append({ ...about, role: "tool", status: "complete", parts: [part], createdAt: now });
}
