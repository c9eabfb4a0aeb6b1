import { AppError } from "../../shared/errors.ts";
import type { Message, MessageEnd, NewMessage } from "../../shared/message.ts";
import type { Connection } from "./connection.ts";
import { nextMessageId } from "./message-id.ts";
import { hashOf, type MessageContent, type MessageRow, messageColumns, type Piece, toMessage } from "./message-row.ts";
import { toJson } from "./rows.ts";
import { reindex, searchText } from "./search-index.ts";

export function append(connection: Connection, message: NewMessage): Message {
  const whole = { kind: "chat", origin: "model", ...message } as const;
  const content: MessageContent = { ...whole, parts: JSON.stringify(message.parts), finishedAt: null, usage: null };
  const text = searchText(whole);
  const id = nextMessageId(connection);
  const { changes } = connection
    .statement(
      `INSERT INTO message (id, session_id, turn_id, role, kind, origin, status, created_at, hash, parts, text)
       SELECT @id, session_id, id, @role, @kind, @origin, @status, @createdAt, @hash, @parts, @text
       FROM turn WHERE id = @turnId AND session_id = @sessionId`,
    )
    .run({ ...content, id, hash: hashOf(content), text });
  const { turnId, sessionId } = message;
  if (changes === 0) throw new AppError("not-found", `There is no turn ${turnId} in the chat ${sessionId}.`);
  reindex(connection, id, null, text);
  connection.statement("UPDATE turn SET last_message = ? WHERE id = ? AND ended_at IS NOT NULL").run(id, turnId);
  return { ...whole, id };
}

export function appendChunk(connection: Connection, messageId: number, kind: Piece["kind"], text: string): void {
  const { changes } = connection
    .statement(
      `INSERT INTO message_chunk (message_id, position, kind, text)
       SELECT id, (SELECT coalesce(max(position), 0) + 1 FROM message_chunk WHERE message_id = @messageId), @kind, @text
       FROM message WHERE id = @messageId AND status = 'streaming'`,
    )
    .run({ messageId, kind, text: JSON.stringify(text) });
  if (changes === 0) throw notOpen(messageId, storedRow(connection, messageId), "is not streaming");
}

export function finish(connection: Connection, messageId: number, end: MessageEnd): Message {
  const open = storedRow(connection, messageId);
  if (open?.status !== "pending" && open?.status !== "streaming") throw notOpen(messageId, open, "is closed already");
  const { id, text: textBefore, ...content } = open;
  const { status, finishedAt } = end;
  const closed = { ...content, status, finishedAt, parts: JSON.stringify(end.parts), usage: toJson(end.usage) };
  const text = searchText({ ...content, ...end });
  connection.statement("DELETE FROM message_chunk WHERE message_id = ?").run(id);
  connection
    .statement(
      `UPDATE message SET status = @status, parts = @parts, usage = @usage, finished_at = @finishedAt, hash = @hash,
         text = @text
       WHERE id = @id`,
    )
    .run({ ...closed, id, hash: hashOf(closed), text });
  reindex(connection, id, textBefore, text);
  return toMessage({ id, ...closed });
}

/** A turn that has not ended may still get rows. */
const lastId = `coalesce(turn.last_message, ${Number.MAX_SAFE_INTEGER})`;

const ofTurn = `turn CROSS JOIN message
  ON message.session_id = turn.session_id AND message.turn_id = turn.id
    AND message.id BETWEEN turn.first_message AND ${lastId}
  WHERE turn.id = ?`;

export function turnMessages(connection: Connection, turnId: string): Message[] {
  const sql = `SELECT ${messageColumns} FROM ${ofTurn} ORDER BY message.id`;
  return readMessages(connection, connection.statement(sql).all(turnId));
}

/** In a chat without branches, and most have none, no row is asked for its turn. */
export function page(
  connection: Connection,
  sessionId: string,
  { before = Number.MAX_SAFE_INTEGER, limit }: { before?: number; limit: number },
): Message[] {
  const hidden = "SELECT 1 FROM turn INDEXED BY turn_hidden WHERE session_id = @sessionId AND shown = 0";
  const hasHidden = connection.statement(`${hidden} LIMIT 1`).get({ sessionId }) !== undefined;
  const isShown = hasHidden ? `AND NOT EXISTS (${hidden} AND turn.id = message.turn_id)` : "";
  const sql = `SELECT ${messageColumns} FROM message WHERE session_id = @sessionId AND id < @before ${isShown}
               ORDER BY id DESC LIMIT @limit`;
  return readMessages(connection, connection.statement(sql).all({ sessionId, before, limit })).reverse();
}

function storedRow(connection: Connection, id: number): (MessageRow & { text: string | null }) | undefined {
  const sql = `SELECT ${messageColumns}, message.text FROM message WHERE id = ?`;
  return connection.statement(sql).get(id) as ReturnType<typeof storedRow>;
}

/** The rows of these turns of one session that a person may see, in order. */
export function shownRows(connection: Connection, turnIds: readonly string[]): Message[] {
  const sql = `WITH wanted AS MATERIALIZED (
                 SELECT turn.id, session_id, first_message, ${lastId} AS last_message
                 FROM json_each(?) CROSS JOIN turn ON turn.id = value
               )
               SELECT ${messageColumns} FROM message INDEXED BY message_session
               WHERE message.session_id = (SELECT session_id FROM wanted LIMIT 1)
                 AND message.id BETWEEN (SELECT min(first_message) FROM wanted) AND (SELECT max(last_message) FROM wanted)
                 AND message.turn_id IN (SELECT id FROM wanted)
                 AND message.kind <> 'note' AND message.status <> 'hidden'
               ORDER BY message.id`;
  return readMessages(connection, connection.statement(sql).all(JSON.stringify(turnIds)));
}

/** Rows that were never closed, though their turn is over and waits for no decision. */
export function openRows(connection: Connection): Message[] {
  const sql = `SELECT ${messageColumns} FROM message JOIN turn ON turn.id = message.turn_id
               WHERE message.status IN ('pending', 'streaming') AND ended_at IS NOT NULL
                 AND coalesce(recovery, 'undelivered') = 'undelivered'`;
  return readMessages(connection, connection.statement(sql).all());
}

/** Removes the rows of a turn whose chat was deleted, also from search. Returns how many there were. */
export function removeRows(connection: Connection, turnId: string): number {
  const sql = `SELECT message.id, message.text FROM ${ofTurn}`;
  const rows = connection.statement(sql).all(turnId) as { id: number; text: string | null }[];
  for (const { id, text } of rows) {
    reindex(connection, id, text, null);
    connection.statement("DELETE FROM message_chunk WHERE message_id = ?").run(id);
    connection.statement("DELETE FROM message WHERE id = ?").run(id);
  }
  return rows.length;
}

/** Rows of this table are read as they are: their hashes, and not a schema, tell whether they are what was written. */
function readMessages(connection: Connection, rows: unknown[]): Message[] {
  return (rows as MessageRow[]).map((row) =>
    toMessage(row, row.status === "streaming" ? pieces(connection, row.id) : []),
  );
}

function pieces(connection: Connection, messageId: number): Piece[] {
  const sql = "SELECT kind, text FROM message_chunk WHERE message_id = ? ORDER BY position";
  return connection.statement(sql).all(messageId) as Piece[];
}

function notOpen(id: number, row: MessageRow | undefined, why: string): AppError {
  if (!row) return new AppError("not-found", `There is no message ${id}.`);
  return new AppError("bad-request", `Message ${id} ${why} (${row.status}) and cannot be changed.`);
}
