import { Mark } from "../../shared/cloud.ts";
import type { Connection } from "./connection.ts";
import { readRow } from "./rows.ts";

/** Whether the person has allowed a chat to be sent to a connection. */
export function mayLeave(connection: Connection, chatId: string, connectionId: string): boolean {
  const sql = "SELECT 1 FROM leaving_rule WHERE kind = 'allow' AND ref = ? AND connection_id = ?";
  return connection.statement(sql).get(chatId, connectionId) !== undefined;
}

export function allowLeaving(
  connection: Connection,
  chatId: string,
  connectionId: string,
  allowed: boolean,
  now: number,
): void {
  if (allowed) setRule(connection, "allow", chatId, connectionId, now);
  else removeRule(connection, "allow", chatId, connectionId);
}

/** A connection that is gone may be sent nothing, and another one must not inherit what it had. */
export function forgetConnection(connection: Connection, connectionId: string): void {
  connection.statement("DELETE FROM leaving_rule WHERE kind = 'allow' AND connection_id = ?").run(connectionId);
}

/** What never goes to a cloud model, oldest first. */
export function marks(connection: Connection): Mark[] {
  const rows = connection
    .statement("SELECT kind, ref FROM leaving_rule WHERE kind <> 'allow' ORDER BY at, kind, ref")
    .all();
  return rows.map((row) => readRow(connection, "leaving_rule", Mark, row));
}

export function isMarked(connection: Connection, kind: Mark["kind"], ref: string): boolean {
  return connection.statement("SELECT 1 FROM leaving_rule WHERE kind = ? AND ref = ?").get(kind, ref) !== undefined;
}

export function setMark(connection: Connection, { kind, ref }: Mark, never: boolean, now: number): void {
  if (never) setRule(connection, kind, ref, "", now);
  else removeRule(connection, kind, ref, "");
}

function setRule(connection: Connection, kind: string, ref: string, connectionId: string, at: number): void {
  connection
    .statement("INSERT INTO leaving_rule (kind, ref, connection_id, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")
    .run(kind, ref, connectionId, at);
}

function removeRule(connection: Connection, kind: string, ref: string, connectionId: string): void {
  connection
    .statement("DELETE FROM leaving_rule WHERE kind = ? AND ref = ? AND connection_id = ?")
    .run(kind, ref, connectionId);
}
