import { z } from "zod";
import { AppError } from "../../shared/errors.ts";
import { Inbound } from "../../shared/turn.ts";
import type { Connection } from "./connection.ts";
import { readRow } from "./rows.ts";
import { openSession, refuseDeleted, touchSession } from "./sessions.ts";

const columns =
  "id, session_id AS sessionId, channel, text, state, created_at AS createdAt, replaces, turn_id AS turnId, after";
const waiting = "session_id = ? AND state = 'accepted'";

const InboundRow = Inbound.unwrap().extend({ after: z.number().transform(Boolean).exactOptional() });

const read = (connection: Connection, row: unknown): Inbound => readRow(connection, "inbound", InboundRow, row);

/** A message brings its session along: nothing is ever stored for a chat that is not there, or was deleted. */
export function accept(connection: Connection, message: Omit<Inbound, "state">): void {
  if (inbound(connection, message.id)) return;
  openSession(connection, message.sessionId, message.createdAt);
  refuseDeleted(connection, message.sessionId);
  connection
    .statement(
      `INSERT INTO inbound (id, session_id, channel, text, state, created_at, replaces, after)
       VALUES (@id, @sessionId, @channel, @text, 'accepted', @createdAt, @replaces, @after)`,
    )
    .run({ replaces: null, ...message, after: message.after ? 1 : null });
  touchSession(connection, message.sessionId, message.createdAt, message.text);
}

export function inbound(connection: Connection, id: string): Inbound | undefined {
  const row = connection.statement(`SELECT ${columns} FROM inbound WHERE id = ?`).get(id);
  return row === undefined ? undefined : read(connection, row);
}

/** These messages, in no order. */
export function inboundOf(connection: Connection, ids: readonly string[]): Inbound[] {
  const sql = `SELECT ${columns} FROM inbound WHERE id IN (SELECT value FROM json_each(?))`;
  const rows = connection.statement(sql).all(JSON.stringify(ids));
  return rows.map((row) => read(connection, row));
}

export function nextAccepted(connection: Connection, sessionId: string): Inbound | undefined {
  const sql = `SELECT ${columns} FROM inbound WHERE ${waiting} ORDER BY position LIMIT 1`;
  const row = connection.statement(sql).get(sessionId);
  return row === undefined ? undefined : read(connection, row);
}

/** The sessions with a queue, the one that has waited longest first. */
export function sessionsWaiting(connection: Connection): string[] {
  const sql = `SELECT session_id FROM inbound
               WHERE state = 'accepted' AND session_id NOT IN (SELECT id FROM session WHERE deleted_at IS NOT NULL)
               GROUP BY session_id ORDER BY min(position)`;
  return connection.statement(sql).pluck().all().map(String);
}

export function draftWaiting(connection: Connection, sessionId: string): Inbound[] {
  const sql = `SELECT ${columns} FROM inbound WHERE ${waiting} ORDER BY position`;
  const drafts = connection.statement(sql).all(sessionId);
  connection.statement(`UPDATE inbound SET state = 'draft' WHERE ${waiting}`).run(sessionId);
  return drafts.map((row) => ({ ...read(connection, row), state: "draft" }));
}

/** What waits in a chat, drafts too, oldest first. */
export function waitingIn(connection: Connection, chatId: string): Inbound[] {
  const sql = `SELECT ${columns}, position FROM inbound WHERE session_id = @chatId AND state = 'accepted'
               UNION ALL
               SELECT ${columns}, position FROM inbound WHERE session_id = @chatId AND state = 'draft'
               ORDER BY position`;
  const rows = connection.statement(sql).all({ chatId });
  return rows.map((row) => read(connection, row));
}

/** A draft goes back to its place in the queue; an accepted message stays. */
export function sendDraft(connection: Connection, id: string): Inbound {
  const found = openInbound(connection, id);
  refuseDeleted(connection, found.sessionId);
  connection.statement("UPDATE inbound SET state = 'accepted' WHERE id = ?").run(id);
  return { ...found, state: "accepted" };
}

/** Removes a message that no turn has taken, and returns it. */
export function dropInbound(connection: Connection, id: string): Inbound {
  const found = openInbound(connection, id);
  connection.statement("DELETE FROM inbound WHERE id = ?").run(id);
  return found;
}

function openInbound(connection: Connection, id: string): Inbound {
  const found = inbound(connection, id);
  if (!found) throw new AppError("not-found", `There is no message ${id}.`);
  if (found.state === "accepted" || found.state === "draft") return found;
  throw new AppError("bad-request", `The message ${id} is ${found.state}: a turn has it already.`);
}

/**
 * Out of the queue, into a turn. A message is taken once: what is not waiting is refused. Returns the turn that it
 * replaces, if it does.
 */
export function takeInbound(connection: Connection, id: string, sessionId: string): string | undefined {
  const sql = "SELECT state, replaces FROM inbound WHERE id = ? AND session_id = ?";
  const found = connection.statement(sql).get(id, sessionId) as { state: string; replaces: string | null } | undefined;
  if (!found) throw new AppError("not-found", `There is no message ${id} in the chat ${sessionId}.`);
  if (found.state !== "accepted") {
    throw new AppError("bad-request", `The message ${id} is ${found.state}: a turn can only take one that waits.`);
  }
  connection.statement("UPDATE inbound SET state = 'taken' WHERE id = ?").run(id);
  return found.replaces ?? undefined;
}

/** The message of a turn that is over, and those that it took in on the way. */
export function saveInbound(connection: Connection, id: string, turnId: string): void {
  connection.statement("UPDATE inbound SET state = 'saved' WHERE id = ?").run(id);
  connection.statement("UPDATE inbound SET state = 'saved' WHERE turn_id = ?").run(turnId);
}

/** What waits in a chat and may join the running turn, oldest first. */
export function followUps(connection: Connection, sessionId: string): Inbound[] {
  const sql = `SELECT ${columns} FROM inbound WHERE ${waiting} AND after IS NULL ORDER BY position`;
  const rows = connection.statement(sql).all(sessionId);
  return rows.map((row) => read(connection, row));
}

/** Out of the queue, into the turn that runs; to be called in the write that stores its row. */
export function injectInbound(connection: Connection, id: string, turnId: string): void {
  const sql = "UPDATE inbound SET state = 'injected', turn_id = ? WHERE id = ? AND state = 'accepted'";
  if (connection.statement(sql).run(turnId, id).changes > 0) return;
  throw new AppError("bad-request", `The message ${id} does not wait: it cannot join a running answer.`);
}

/** Whether a message that waits is to be answered after the running turn, and not in it. */
export function setAfter(connection: Connection, id: string, after: boolean): Inbound {
  const found = openInbound(connection, id);
  connection.statement("UPDATE inbound SET after = ? WHERE id = ?").run(after ? 1 : null, id);
  const { after: _, ...rest } = found;
  return after ? { ...rest, after } : rest;
}
