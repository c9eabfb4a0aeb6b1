import { AppError, toWire } from "../../shared/errors.ts";
import { type Message, textOf } from "../../shared/message.ts";
import type { Recovery, TurnEnd, TurnRecord } from "../../shared/turn.ts";
import { isAnsweredHere } from "./commands.ts";
import { turnTable } from "./machine.ts";
import { answeredIn, settleCalls, settleTurn } from "./settle.ts";
import type { Store } from "./store.ts";
import { closeUserMessage } from "./user-message.ts";

/** What became of a turn that the last run of the app did not end. */
export interface Recovered {
  readonly turnId: string;
  readonly sessionId: string;
  /** draft: nothing of it was stored but its message, which waits to be sent again. */
  readonly what: Recovery | "draft";
  /** What was written of the answer; of a draft, the message. */
  readonly text: string;
  /** It was not interrupted at this place before, and nothing has to be decided first: it may go on without being asked. */
  readonly mayGoOn: boolean;
}

/**
 * After a start: brings every turn that did not end to an end that can be shown (turns.md §5). Its rows stay as they
 * are, so that it can go on with them; nothing is run. One transaction, so that it may itself be killed.
 */
export function reconcile(store: Store, now: number): Recovered[] {
  return store.atomically(() => store.unfinishedTurns().flatMap((turn) => leave(store, turn, now) ?? []));
}

/** Undefined where there is nothing to decide and nothing to see. */
function leave(store: Store, turn: TurnRecord, now: number): Recovered | undefined {
  const rows = store.turnMessages(turn.id);
  const about = { turnId: turn.id, sessionId: turn.sessionId, mayGoOn: false };
  if (!store.chat(turn.sessionId)) {
    settleTurn(store, turn, now);
    store.endTurn(turn.id, { stopReason: "interrupted", endedAt: now, error: CLOSED }); // so that it can be purged
    return undefined;
  }
  if (rows.length === 0) {
    const { text = "" } = store.inbound(turn.inboundId) ?? {};
    if (isAnsweredHere(text)) return endCommand(store, turn, text, now);
    store.undoTurn(turn.id);
    return { ...about, what: "draft", text };
  }
  if (rows[0]?.kind === "command") {
    store.endTurn(turn.id, { stopReason: "command", endedAt: now });
    return undefined;
  }
  const text = writtenBy(rows);
  const end = finishedEnd(store, turn, rows);
  if (end) {
    finishRows(store, turn, rows, end, now);
    const isStopped = end.stopReason === "aborted"; // by the person, who has seen it
    store.endTurn(turn.id, { ...end, endedAt: now, ...(!isStopped && { recovery: "undelivered" }) });
    return isStopped ? undefined : { ...about, what: "undelivered", text };
  }
  return { ...about, ...interrupt(store, turn, rows, now), text };
}

/** A command that was not answered says so in its place: as a draft, `/stop` would be no help to anyone. */
function endCommand(store: Store, { id: turnId, sessionId }: TurnRecord, text: string, now: number): undefined {
  const row = { sessionId, turnId, kind: "command", status: "complete", createdAt: now } as const;
  store.append({ ...row, role: "user", parts: [{ type: "text", text }] });
  store.append({ ...row, role: "assistant", parts: [{ type: "error", error: COMMAND_CLOSED }] });
  store.endTurn(turnId, { stopReason: "command", endedAt: now, error: COMMAND_CLOSED });
}

const isAnswer = ({ role, kind, origin, status }: Message): boolean =>
  role === "assistant" && kind === "chat" && origin === "model" && status !== "hidden";

function writtenBy(rows: readonly Message[]): string {
  const texts = rows.filter(isAnswer).map(({ parts }) => textOf(parts));
  return texts.filter((text) => text !== "").join("\n\n");
}

/** How a turn ended that had come to its end and was not told of; undefined: it had not. */
function finishedEnd(store: Store, turn: TurnRecord, rows: readonly Message[]): Omit<TurnEnd, "endedAt"> | undefined {
  const failed = store.trace(turn.id).at(-1)?.error;
  const saving = turn.state === "save" || turn.state === "respond";
  if (saving && failed) return { stopReason: failed.code === "aborted" ? "aborted" : "error", error: failed };
  const answer = rows.findLast(isAnswer);
  const whole = answer && (saving || (turn.phase === "final_response" && answer.status === "complete"));
  return whole ? { stopReason: "completed" } : undefined;
}

/** What `save` would have done. */
function finishRows(
  store: Store,
  { id: turnId, sessionId }: TurnRecord,
  rows: readonly Message[],
  { error }: Omit<TurnEnd, "endedAt">,
  now: number,
): void {
  for (const row of rows) if (row.role === "user") closeUserMessage(store, row, now);
  settleCalls(store, { sessionId, turnId }, now);
  const isTold = rows.some(({ parts }) => parts.some(({ type }) => type === "error"));
  if (!error || error.code === "aborted" || isTold) return;
  const row = { sessionId, turnId, role: "assistant", status: "incomplete", createdAt: now } as const;
  store.append({ ...row, parts: [{ type: "error", error }] });
}

const CLOSED = toWire(new AppError("interrupted", "Lares was closed before this answer was finished."));
const COMMAND_CLOSED = toWire(
  new AppError("interrupted", "Lares was closed before this command was done. Give it again."),
);

/** A `once` call that was running may or may not have happened; any other is run again when the turn goes on. */
function interrupt(store: Store, turn: TurnRecord, rows: readonly Message[], now: number) {
  for (const call of store.calls(turn.id)) {
    if (call.state !== "running") continue;
    if (call.class === "once") store.setCall(turn.id, call.id, { state: "unknown", endedAt: now });
    else store.setCall(turn.id, call.id, { state: "requested" });
  }
  const isUnknown = unansweredUnknown(store, turn.id).length > 0;
  const recovery = isUnknown ? "unknown" : "interrupted";
  const crashPlace = placeOf(turn, rows);
  store.endTurn(turn.id, { stopReason: "interrupted", endedAt: now, error: CLOSED, recovery, crashPlace });
  return { what: recovery, mayGoOn: !isUnknown && turn.crashPlace !== crashPlace } as const;
}

/** The calls that only the person can tell about. */
export function unansweredUnknown(store: Store, turnId: string): string[] {
  const answered = answeredIn(store.turnMessages(turnId));
  return store.calls(turnId).flatMap(({ id, state }) => (state === "unknown" && !answered.has(id) ? [id] : []));
}

/** The same for a turn that died at the same step twice; its first word is the state to go on in. */
function placeOf({ state, phase, iteration }: TurnRecord, rows: readonly Message[]): string {
  const resumeAt = state === "done" ? "respond" : turnTable[state].resumeAt;
  return [resumeAt, phase ?? "-", iteration, rows.at(-1)?.id ?? 0].join(" ");
}
