import { z } from "zod";
import { AppError } from "../../shared/errors.ts";
import type { Inbound } from "../../shared/turn.ts";
import type { Connection } from "./connection.ts";
import { readRow } from "./rows.ts";
import { openSession, touchSession } from "./sessions.ts";

const InboundRow = z.object({
  id: z.string(),
  sessionId: z.string(),
  channel: z.string(),
  text: z.string(),
  state: z.enum(["accepted", "taken", "saved", "draft"]),
  createdAt: z.number(),
});

const columns = "id, session_id AS sessionId, channel, text, state, created_at AS createdAt";
const waiting = "session_id = ? AND state = 'accepted'";

const read = (connection: Connection, row: unknown): Inbound => readRow(connection, "inbound", InboundRow, row);

/** A message brings its session along: nothing is ever stored for a chat that is not there. */
export function accept(connection: Connection, message: Omit<Inbound, "state">): void {
  if (inbound(connection, message.id)) return;
  openSession(connection, message.sessionId, message.createdAt);
  connection
    .statement(
      `INSERT INTO inbound (id, session_id, channel, text, state, created_at)
       VALUES (@id, @sessionId, @channel, @text, 'accepted', @createdAt)`,
    )
    .run(message);
  touchSession(connection, message.sessionId, message.createdAt);
}

export function inbound(connection: Connection, id: string): Inbound | undefined {
  const row = connection.statement(`SELECT ${columns} FROM inbound WHERE id = ?`).get(id);
  return row === undefined ? undefined : read(connection, row);
}

export function nextAccepted(connection: Connection, sessionId: string): Inbound | undefined {
  const sql = `SELECT ${columns} FROM inbound WHERE ${waiting} ORDER BY position LIMIT 1`;
  const row = connection.statement(sql).get(sessionId);
  return row === undefined ? undefined : read(connection, row);
}

/** The sessions with a queue, the one that has waited longest first. */
export function sessionsWaiting(connection: Connection): string[] {
  const sql = "SELECT session_id FROM inbound WHERE state = 'accepted' GROUP BY session_id ORDER BY min(position)";
  return connection.statement(sql).pluck().all().map(String);
}

export function draftWaiting(connection: Connection, sessionId: string): Inbound[] {
  const sql = `SELECT ${columns} FROM inbound WHERE ${waiting} ORDER BY position`;
  const drafts = connection.statement(sql).all(sessionId);
  connection.statement(`UPDATE inbound SET state = 'draft' WHERE ${waiting}`).run(sessionId);
  return drafts.map((row) => ({ ...read(connection, row), state: "draft" }));
}

/** Out of the queue, into a turn. A message is taken once: what is not waiting is refused. */
export function takeInbound(connection: Connection, id: string, sessionId: string): void {
  const sql = `UPDATE inbound SET state = 'taken' WHERE id = ? AND ${waiting}`;
  if (connection.statement(sql).run(id, sessionId).changes === 1) return;
  const found = inbound(connection, id);
  if (found?.sessionId === sessionId) {
    throw new AppError("bad-request", `The message ${id} is ${found.state}: a turn can only take one that waits.`);
  }
  throw new AppError("not-found", `There is no message ${id} in the chat ${sessionId}.`);
}

export function saveInbound(connection: Connection, id: string): void {
  connection.statement("UPDATE inbound SET state = 'saved' WHERE id = ?").run(id);
}
