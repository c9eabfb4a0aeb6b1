import type { Connection } from "./connection.ts";

/** What was typed in a chat and not sent; empty if nothing. */
export function draft(connection: Connection, chatId: string): string {
  const text = connection.statement("SELECT text FROM draft WHERE chat_id = ?").pluck().get(chatId);
  return text === undefined ? "" : String(text);
}

/** The chat need not be there yet. An empty text leaves nothing. */
export function setDraft(connection: Connection, chatId: string, text: string, now: number): void {
  if (text === "") {
    connection.statement("DELETE FROM draft WHERE chat_id = ?").run(chatId);
    return;
  }
  const sql = `INSERT INTO draft (chat_id, text, updated_at) VALUES (?, ?, ?)
               ON CONFLICT DO UPDATE SET text = excluded.text, updated_at = excluded.updated_at`;
  connection.statement(sql).run(chatId, text, now);
}
