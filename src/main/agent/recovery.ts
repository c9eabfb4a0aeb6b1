import { AppError, toWire } from "../../shared/errors.ts";
import { type Message, textOf } from "../../shared/message.ts";
import type { TurnRecord } from "../../shared/turn.ts";
import { findCommand } from "./commands.ts";
import type { Store } from "./store.ts";
import { closeUserMessage } from "./user-message.ts";

/** What became of a turn that the last run of the app did not end. */
export interface Recovered {
  readonly turnId: string;
  readonly sessionId: string;
  /** interrupted: it waits for the user. undelivered: its answer was stored and is shown now. */
  readonly what: "interrupted" | "undelivered";
  readonly text: string;
}

/**
 * After a start: brings every turn that did not end to an end that can be shown. The user's row is there, half an
 * answer is kept and marked, calls that were running are unknown, and nothing is run again. One transaction, so that
 * it may itself be killed.
 */
export function reconcile(store: Store, now: number): Recovered[] {
  return store.atomically(() => store.unfinishedTurns().map((turn) => endTurn(store, turn, now)));
}

function endTurn(store: Store, turn: TurnRecord, now: number): Recovered {
  closeCalls(store, turn.id, now);
  keepUserRow(store, turn, now);
  const rows = store.turnMessages(turn.id);
  const { id: turnId, sessionId } = turn;
  const answer = rows.findLast(({ role, origin }) => role === "assistant" && origin === "model");
  const finished = answer !== undefined && (turn.state === "save" || turn.state === "respond" || isFinal(turn, answer));
  if (finished) {
    store.endTurn(turnId, { stopReason: "completed", endedAt: now });
    return { turnId, sessionId, what: "undelivered", text: textOf(answer.parts) };
  }
  const error = toWire(new AppError("interrupted", "Lares was closed before this answer was finished."));
  markInterrupted(store, turn, rows, error, now);
  store.endTurn(turnId, { stopReason: "interrupted", endedAt: now, error });
  return { turnId, sessionId, what: "interrupted", text: answer ? textOf(answer.parts) : "" };
}

const isFinal = (turn: TurnRecord, answer: Message): boolean =>
  turn.phase === "final_response" && answer.status === "complete";

/** A call that was running may or may not have happened; a read is simply not finished. */
function closeCalls(store: Store, turnId: string, now: number): void {
  for (const call of store.calls(turnId)) {
    if (call.state !== "running") continue;
    store.setCall(turnId, call.id, { state: call.class === "read" ? "failed" : "unknown", endedAt: now });
  }
}

/** What was typed is in the session, however early the turn died. */
function keepUserRow(store: Store, turn: TurnRecord, now: number): void {
  const user = store.turnMessages(turn.id).find(({ role, kind }) => role === "user" && kind !== "note");
  if (user) {
    closeUserMessage(store, user, now);
    return;
  }
  const text = store.inbound(turn.inboundId)?.text ?? "";
  store.append({
    sessionId: turn.sessionId,
    turnId: turn.id,
    role: "user",
    kind: findCommand(text) ? "command" : "chat",
    status: "complete",
    parts: [{ type: "text", text }],
    createdAt: now,
  });
}

function markInterrupted(
  store: Store,
  turn: TurnRecord,
  rows: readonly Message[],
  error: ReturnType<typeof toWire>,
  now: number,
): void {
  const part = { type: "error", error } as const;
  const open = rows.find(
    ({ role, status }) => role === "assistant" && (status === "streaming" || status === "pending"),
  );
  if (open) {
    store.finish(open.id, { parts: [...open.parts, part], status: "incomplete", finishedAt: now });
    return;
  }
  const kind = rows[0]?.kind ?? "chat"; // what breaks off a command is a command's row
  const base = { sessionId: turn.sessionId, turnId: turn.id, role: "assistant", kind, status: "incomplete" } as const;
  store.append({ ...base, parts: [part], createdAt: now });
}
