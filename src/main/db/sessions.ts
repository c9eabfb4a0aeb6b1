import { z } from "zod";
import { AppError } from "../../shared/errors.ts";
import { type Session, StopReason } from "../../shared/turn.ts";
import type { Connection } from "./connection.ts";
import { readRow } from "./rows.ts";
import { firstTitle, titleOf } from "./title.ts";

/** A chat as it is stored. */
export interface StoredChat extends Session {
  readonly pinned: boolean;
  /** Marked: it never goes to a cloud model. */
  readonly neverCloud: boolean;
  /** How its newest turn ended. */
  readonly lastStop?: StopReason;
}

const sessionShape = {
  id: z.string(),
  title: z.string(),
  model: z.string().exactOptional(),
  createdAt: z.number(),
  updatedAt: z.number(),
};
const SessionRow = z.object(sessionShape);
const ChatRow = z.object({
  ...sessionShape,
  pinned: z.number().transform((value) => value === 1),
  neverCloud: z.number().transform((value) => value === 1),
  lastStop: StopReason.exactOptional(),
  firstText: z.string().exactOptional(),
});

const columns = "id, title, model, created_at AS createdAt, updated_at AS updatedAt";

/** A chat from before chats had titles is called by what was first asked in it. */
const firstText = `iif(title <> '', NULL, (
    SELECT inbound.text FROM turn JOIN inbound ON inbound.id = turn.inbound_id
    WHERE turn.session_id = session.id AND stop_reason IS NOT 'command' ORDER BY turn.position LIMIT 1
  )) AS firstText`;
const lastStop = `(
    SELECT stop_reason FROM turn WHERE turn.session_id = session.id AND shown = 1 ORDER BY position DESC LIMIT 1
  ) AS lastStop`;
const neverCloud = "EXISTS (SELECT 1 FROM leaving_rule WHERE kind = 'chat' AND ref = session.id) AS neverCloud";
const selectChats = `SELECT ${columns}, pinned, ${neverCloud}, ${lastStop}, ${firstText} FROM session WHERE deleted_at IS NULL`;

export function openSession(connection: Connection, id: string, now: number): Session {
  const found = connection.statement(`SELECT ${columns} FROM session WHERE id = ?`).get(id);
  if (found !== undefined) return readRow(connection, "session", SessionRow, found);
  connection.statement("INSERT INTO session (id, created_at, updated_at) VALUES (?, ?, ?)").run(id, now, now);
  return { id, title: "", createdAt: now, updatedAt: now };
}

/** Without the deleted ones, the one changed last first. */
export function chats(connection: Connection): StoredChat[] {
  const rows = connection.statement(`${selectChats} ORDER BY updated_at DESC, created_at DESC, id`).all();
  return rows.map((row) => toChat(connection, row));
}

/** Undefined: not there, or deleted. */
export function chat(connection: Connection, id: string): StoredChat | undefined {
  const row = connection.statement(`${selectChats} AND id = ?`).get(id);
  return row === undefined ? undefined : toChat(connection, row);
}

function toChat(connection: Connection, row: unknown): StoredChat {
  const { firstText, ...stored } = readRow(connection, "session", ChatRow, row);
  return firstText === undefined ? stored : { ...stored, title: firstTitle(firstText) };
}

export function setSessionModel(connection: Connection, id: string, model: string | undefined): void {
  change(connection, id, "model = ?", model ?? null);
}

/** Takes the first line, without what cannot be seen in it. */
export function renameChat(connection: Connection, id: string, title: string): void {
  change(connection, id, "title = ?", titleOf(title));
}

export function pinChat(connection: Connection, id: string, pinned: boolean): void {
  change(connection, id, "pinned = ?", pinned ? 1 : 0);
}

/** Safe to repeat: the time of the first deletion counts. */
export function deleteChat(connection: Connection, id: string, now: number): void {
  const sql = "UPDATE session SET deleted_at = coalesce(deleted_at, ?) WHERE id = ?";
  if (connection.statement(sql).run(now, id).changes === 0) throw noChat(id);
}

/** Safe to repeat. Throws not-found once the chat's rows are being removed. */
export function restoreChat(connection: Connection, id: string): void {
  const sql = "UPDATE session SET deleted_at = NULL WHERE id = ? AND deleted_at IS NOT 0";
  if (connection.statement(sql).run(id).changes === 0) throw noChat(id);
}

/** Something was said in the session, and gives it its title if it has none. */
export function touchSession(connection: Connection, id: string, now: number, message?: string): void {
  const sql = "UPDATE session SET updated_at = ?, title = iif(title = '', ?, title) WHERE id = ?";
  connection.statement(sql).run(now, message === undefined ? "" : firstTitle(message), id);
}

/** Throws not-found for a chat that was deleted: what is said there would go with it. */
export function refuseDeleted(connection: Connection, id: string): void {
  const isDeleted = connection.statement("SELECT 1 FROM session WHERE id = ? AND deleted_at IS NOT NULL").get(id);
  if (isDeleted) throw new AppError("not-found", `The chat ${id} was deleted. Restore it, or write in another chat.`);
}

function change(connection: Connection, id: string, what: string, value: unknown): void {
  const sql = `UPDATE session SET ${what} WHERE id = ? AND deleted_at IS NULL`;
  if (connection.statement(sql).run(value, id).changes === 0) throw noChat(id);
}

const noChat = (id: string) => new AppError("not-found", `There is no chat ${id}.`);
