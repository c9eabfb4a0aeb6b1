import { AppError } from "../../shared/errors.ts";
import type { Message, MessageEnd, NewMessage } from "../../shared/message.ts";
import type { Connection } from "./connection.ts";
import { hashOf, type MessageContent, type MessageRow, messageColumns, type Piece, toMessage } from "./message-row.ts";
import { toJson } from "./rows.ts";
import { reindex, searchText } from "./search-index.ts";

export function append(connection: Connection, message: NewMessage): Message {
  const whole = { kind: "chat", origin: "model", ...message } as const;
  const content: MessageContent = { ...whole, parts: JSON.stringify(message.parts), finishedAt: null, usage: null };
  const text = searchText(whole);
  const { changes, lastInsertRowid } = connection
    .statement(
      `INSERT INTO message (session_id, turn_id, role, kind, origin, status, created_at, hash, parts, text)
       SELECT session_id, id, @role, @kind, @origin, @status, @createdAt, @hash, @parts, @text
       FROM turn WHERE id = @turnId AND session_id = @sessionId`,
    )
    .run({ ...content, hash: hashOf(content), text });
  const { turnId, sessionId } = message;
  if (changes === 0) throw new AppError("not-found", `There is no turn ${turnId} in the chat ${sessionId}.`);
  const id = Number(lastInsertRowid);
  reindex(connection, id, null, text);
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

export function turnMessages(connection: Connection, turnId: string): Message[] {
  const sql = `SELECT ${messageColumns} FROM turn CROSS JOIN message
               ON message.session_id = turn.session_id AND message.id >= turn.first_message AND message.turn_id = turn.id
               WHERE turn.id = ? ORDER BY message.id`;
  return readMessages(connection, connection.statement(sql).all(turnId));
}

export function page(
  connection: Connection,
  sessionId: string,
  { before = Number.MAX_SAFE_INTEGER, limit }: { before?: number; limit: number },
): Message[] {
  const sql = `SELECT ${messageColumns} FROM message WHERE session_id = ? AND id < ? ORDER BY id DESC LIMIT ?`;
  return readMessages(connection, connection.statement(sql).all(sessionId, before, limit)).reverse();
}

function storedRow(connection: Connection, id: number): (MessageRow & { text: string | null }) | undefined {
  const sql = `SELECT ${messageColumns}, message.text FROM message WHERE id = ?`;
  return connection.statement(sql).get(id) as ReturnType<typeof storedRow>;
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
