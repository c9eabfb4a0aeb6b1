import { AppError } from "../../shared/errors.ts";
import { type ToolCallChange, ToolCallRecord } from "../../shared/turn.ts";
import type { Connection } from "./connection.ts";
import { readRow } from "./rows.ts";

export function insertCall(connection: Connection, call: ToolCallRecord): void {
  connection
    .statement(
      `INSERT INTO tool_call (id, turn_id, position, message_id, name, class, state, started_at, ended_at, summary)
       VALUES (@id, @turnId, (SELECT coalesce(max(position), 0) + 1 FROM tool_call WHERE turn_id = @turnId),
               @messageId, @name, @class, @state, @startedAt, @endedAt, @summary)`,
    )
    .run({ startedAt: null, endedAt: null, summary: null, ...call });
}

export function setCall(connection: Connection, turnId: string, id: string, change: ToolCallChange): void {
  const { changes } = connection
    .statement(
      `UPDATE tool_call SET state = @state, started_at = coalesce(@startedAt, started_at),
         ended_at = coalesce(@endedAt, ended_at), summary = coalesce(@summary, summary)
       WHERE turn_id = @turnId AND id = @id`,
    )
    .run({ startedAt: null, endedAt: null, summary: null, ...change, turnId, id });
  if (changes === 0) throw new AppError("not-found", `There is no tool call ${id}.`);
}

/** The calls of a turn in the order they were asked for. */
export const calls = (connection: Connection, turnId: string): ToolCallRecord[] => callsOf(connection, [turnId]);

/** The calls of these turns; those of one turn are in the order they were asked for. */
export function callsOf(connection: Connection, turnIds: readonly string[]): ToolCallRecord[] {
  const sql = `SELECT id, turn_id AS turnId, message_id AS messageId, name, class, state, started_at AS startedAt,
                 ended_at AS endedAt, summary
               FROM tool_call WHERE turn_id IN (SELECT value FROM json_each(?)) ORDER BY turn_id, position`;
  return connection
    .statement(sql)
    .all(JSON.stringify(turnIds))
    .map((row) => readRow(connection, "tool_call", ToolCallRecord, row));
}
