import { z } from "zod";
import { AppError, WireError } from "../../shared/errors.ts";
import { Usage } from "../../shared/message.ts";
import { type Phase, type Recovery, TraceEntry, type TurnEnd, TurnRecord, type TurnState } from "../../shared/turn.ts";
import { lastShown, parentOf, showTurn } from "./branches.ts";
import type { Connection } from "./connection.ts";
import { saveInbound, takeInbound } from "./inbound.ts";
import { nextMessageId } from "./message-id.ts";
import { json, readRow, toJson } from "./rows.ts";
import { touchSession } from "./sessions.ts";

const TurnRow = z.object({
  ...TurnRecord.unwrap().shape,
  usage: json(Usage).exactOptional(),
  error: json(WireError).exactOptional(),
});

const TraceRow = z.object({
  ...TraceEntry.shape,
  error: json(WireError).exactOptional(),
  notes: json(z.array(z.string())).exactOptional(),
});

/** That all tools are done is what their calls say: written down as well, it would be one page more in each tool step. */
const phase = `CASE WHEN phase = 'awaiting_tools' AND NOT EXISTS (
    SELECT 1 FROM tool_call WHERE turn_id = turn.id AND state IN ('requested', 'approved', 'running')
  ) THEN 'tools_completed' ELSE phase END AS phase`;

const columns = `id, session_id AS sessionId, inbound_id AS inboundId, state, ${phase}, iteration,
  started_at AS startedAt, ended_at AS endedAt, stop_reason AS stopReason, usage, error, recovery,
  crash_place AS crashPlace`;

const read = (connection: Connection, row: unknown): TurnRecord => readRow(connection, "turn", TurnRow, row);

/** The turn follows the last shown one, or takes the place of the one that its message replaces. */
export function beginTurn(
  connection: Connection,
  turn: { id: string; sessionId: string; inboundId: string; startedAt: number },
): void {
  const replaced = takeInbound(connection, turn.inboundId, turn.sessionId);
  const branch = replaced === undefined ? undefined : parentOf(connection, turn.sessionId, replaced);
  const parentId = branch ? branch.id : lastShown(connection, turn.sessionId);
  connection
    .statement(
      `INSERT INTO turn (id, session_id, inbound_id, first_message, parent_id, state, iteration, started_at)
       VALUES (@id, @sessionId, @inboundId, @firstMessage, @parentId, 'restore', 0, @startedAt)`,
    )
    .run({ ...turn, parentId, firstMessage: nextMessageId(connection) });
  if (branch) showTurn(connection, turn.id);
}

export function advance(connection: Connection, entry: TraceEntry, next: TurnState): void {
  changeTurn(connection, entry.turnId, "state = ?", next);
  const { turnId, state, outcome, startedAt, ms } = entry;
  connection
    .statement(
      `INSERT INTO trace (turn_id, position, state, outcome, started_at, ms, error, notes)
       VALUES (@turnId, (SELECT coalesce(max(position), 0) + 1 FROM trace WHERE turn_id = @turnId),
               @state, @outcome, @startedAt, @ms, @error, @notes)`,
    )
    .run({ turnId, state, outcome, startedAt, ms, error: toJson(entry.error), notes: toJson(entry.notes) });
}

export function setPhase(
  connection: Connection,
  turnId: string,
  phase: Exclude<Phase, "tools_completed">,
  iteration: number,
): void {
  changeTurn(connection, turnId, "phase = ?, iteration = ?", phase, iteration);
}

/** Safe to repeat: the first end counts. */
export function endTurn(connection: Connection, turnId: string, end: TurnEnd): void {
  const known = turn(connection, turnId);
  if (!known) throw noTurn(turnId);
  if (known.endedAt !== undefined) return;
  const { stopReason, endedAt, usage, error, recovery = null, crashPlace = null } = end;
  const change = `state = 'done', stop_reason = ?, ended_at = ?, usage = ?, error = ?, recovery = ?,
    crash_place = coalesce(?, crash_place), last_message = (SELECT coalesce(max(id), 0) FROM message)`;
  const values = [stopReason, endedAt, toJson(usage), toJson(error), recovery, crashPlace];
  changeTurn(connection, turnId, change, ...values);
  saveInbound(connection, known.inboundId, turnId);
  touchSession(connection, known.sessionId, endedAt);
}

/** Takes the end of an interrupted turn back: it goes on in `state`. Where it was interrupted stays known. */
export function reopenTurn(connection: Connection, turnId: string, state: TurnState): void {
  const change = `state = ?, stop_reason = NULL, ended_at = NULL, error = NULL, recovery = NULL, last_message = NULL`;
  changeTurn(connection, turnId, change, state);
}

/** Undefined: there is nothing left to decide or to see. */
export function setRecovery(connection: Connection, turnId: string, recovery: Recovery | undefined): void {
  changeTurn(connection, turnId, "recovery = ?", recovery ?? null);
}

/** Every turn that waits for a decision or to be seen, oldest first. */
export function recoveries(connection: Connection, sessionId?: string): TurnRecord[] {
  const within = sessionId === undefined ? "" : "AND session_id = @sessionId";
  const sql = `SELECT ${columns} FROM turn WHERE recovery IS NOT NULL AND shown = 1 ${within} ORDER BY position`;
  return connection
    .statement(sql)
    .all(sessionId === undefined ? {} : { sessionId })
    .map((row) => read(connection, row));
}

/**
 * Removes a turn that has no rows yet, as if it had never begun: its message is a draft again, what followed it follows
 * the one before, and what it stood beside is shown.
 */
export function undoTurn(connection: Connection, turnId: string): void {
  const found = turn(connection, turnId);
  if (!found) throw noTurn(turnId);
  const parentId = parentOf(connection, found.sessionId, turnId)?.id ?? null;
  connection.statement("UPDATE turn SET parent_id = ? WHERE parent_id = ?").run(parentId, turnId);
  for (const table of ["trace", "notice", "request"]) {
    connection.statement(`DELETE FROM ${table} WHERE turn_id = ?`).run(turnId);
  }
  connection.statement("DELETE FROM turn WHERE id = ?").run(turnId);
  const draft = "UPDATE inbound SET state = 'draft' WHERE id = ? RETURNING replaces";
  const replaced = connection.statement(draft).pluck().get(found.inboundId);
  if (typeof replaced === "string") showTurn(connection, replaced);
}

export function turn(connection: Connection, id: string): TurnRecord | undefined {
  const row = connection.statement(`SELECT ${columns} FROM turn WHERE id = ?`).get(id);
  return row === undefined ? undefined : read(connection, row);
}

/** The newest shown one that has ended, by something else than a slash command: NULL, still running, is not different either. */
export function lastTurn(connection: Connection, sessionId: string): TurnRecord | undefined {
  const sql = `SELECT ${columns} FROM turn WHERE session_id = ? AND shown = 1 AND stop_reason <> 'command'
               ORDER BY position DESC LIMIT 1`;
  const row = connection.statement(sql).get(sessionId);
  return row === undefined ? undefined : read(connection, row);
}

/**
 * The newest `limit` turns of the shown branch with positions below `end`, oldest first, and as many more as there are
 * from the position `start` on.
 */
export function shownTurns(
  connection: Connection,
  sessionId: string,
  range: { start: number | undefined; end: number; limit: number },
): TurnRecord[] {
  const shown = "session_id = @sessionId AND shown = 1 AND position < @end";
  const sql = `SELECT ${columns} FROM turn WHERE ${shown} ORDER BY position DESC
               LIMIT max(@limit, (SELECT count(*) FROM turn WHERE ${shown} AND position >= @start))`;
  const rows = connection.statement(sql).all({ ...range, start: range.start ?? range.end, sessionId });
  return rows.map((row) => read(connection, row)).reverse();
}

/** Oldest first. */
export function unfinishedTurns(connection: Connection): TurnRecord[] {
  const sql = `SELECT ${columns} FROM turn WHERE ended_at IS NULL ORDER BY position`;
  return connection
    .statement(sql)
    .all()
    .map((row) => read(connection, row));
}

export const trace = (connection: Connection, turnId: string): TraceEntry[] => tracesOf(connection, [turnId]);

/** The traces of these turns; the entries of one turn are in order. */
export function tracesOf(connection: Connection, turnIds: readonly string[]): TraceEntry[] {
  const sql = `SELECT turn_id AS turnId, state, outcome, started_at AS startedAt, ms, error, notes
               FROM trace WHERE turn_id IN (SELECT value FROM json_each(?)) ORDER BY turn_id, position`;
  return connection
    .statement(sql)
    .all(JSON.stringify(turnIds))
    .map((row) => readRow(connection, "trace", TraceRow, row));
}

function changeTurn(connection: Connection, id: string, change: string, ...values: unknown[]): void {
  const { changes } = connection.statement(`UPDATE turn SET ${change} WHERE id = ?`).run(...values, id);
  if (changes === 0) throw noTurn(id);
}

const noTurn = (id: string) => new AppError("not-found", `There is no turn ${id}.`);
