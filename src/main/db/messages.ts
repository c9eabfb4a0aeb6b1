import { AppError } from "../../shared/errors.ts";
import type { Message, MessageStatus, Part, Usage } from "../../shared/message.ts";
import type { Connection } from "./connection.ts";
import { hashOf, type MessageContent, type MessageRow, messageColumns, type Piece, toMessage } from "./message-row.ts";
import { toJson } from "./rows.ts";
import { indexText, unindexText } from "./search-index.ts";

/** A row to be written. Without a kind it is chat, without an origin it is of the model. */
export type NewMessage = Pick<Message, "sessionId" | "turnId" | "role" | "status" | "parts" | "createdAt"> &
  Partial<Pick<Message, "kind" | "origin">>;

/** What an open row becomes. */
export interface MessageEnd {
  readonly parts: readonly Part[];
  readonly status: Exclude<MessageStatus, "pending" | "streaming">;
  readonly usage?: Usage;
  readonly finishedAt: number;
}

export function append(connection: Connection, message: NewMessage): Message {
  const content: MessageContent = {
    kind: "chat",
    origin: "model",
    ...message,
    parts: JSON.stringify(message.parts),
    finishedAt: null,
    usage: null,
  };
  const { changes, lastInsertRowid } = connection
    .statement(
      `INSERT INTO message (session_id, turn_id, role, kind, origin, status, created_at, hash, parts)
       SELECT session_id, id, @role, @kind, @origin, @status, @createdAt, @hash, @parts
       FROM turn WHERE id = @turnId AND session_id = @sessionId`,
    )
    .run({ ...content, hash: hashOf(content) });
  const { turnId, sessionId } = message;
  if (changes === 0) throw new AppError("not-found", `There is no turn ${turnId} in the chat ${sessionId}.`);
  const id = Number(lastInsertRowid);
  indexText(connection, id);
  return toMessage({ id, ...content });
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
  const closed: MessageRow = {
    ...open,
    status: end.status,
    parts: JSON.stringify(end.parts),
    usage: toJson(end.usage),
    finishedAt: end.finishedAt,
  };
  const { id, status, parts, usage, finishedAt } = closed;
  const isIndexed = keepsTexts(open, closed);
  if (!isIndexed) unindexText(connection, id);
  connection.statement("DELETE FROM message_chunk WHERE message_id = ?").run(id);
  connection
    .statement(
      `UPDATE message SET status = @status, parts = @parts, usage = @usage, finished_at = @finishedAt, hash = @hash
       WHERE id = @id`,
    )
    .run({ id, status, parts, usage, finishedAt, hash: hashOf(closed) });
  if (!isIndexed) indexText(connection, id);
  return toMessage(closed);
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

/** What a person wrote is searchable from the start and mostly closes as it was: it need not leave the index and return. */
function keepsTexts(open: MessageRow, closed: MessageRow): boolean {
  if (open.role !== "user" || closed.status === "hidden") return false;
  return textsOf(open) === textsOf(closed);
}

const textsOf = (row: MessageRow): string =>
  JSON.stringify(toMessage(row).parts.flatMap((part) => (part.type === "text" ? [part.text] : [])));

function storedRow(connection: Connection, id: number): MessageRow | undefined {
  const sql = `SELECT ${messageColumns} FROM message WHERE id = ?`;
  return connection.statement(sql).get(id) as MessageRow | undefined;
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
