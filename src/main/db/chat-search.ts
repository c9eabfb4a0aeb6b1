import { z } from "zod";
import type { ChatHit } from "../../shared/views.ts";
import type { Connection } from "./connection.ts";
import { readRow } from "./rows.ts";
import { search } from "./search.ts";
import { chat } from "./sessions.ts";

const FoundRow = z.object({ role: z.enum(["user", "assistant"]), createdAt: z.number() });

/** Searches all chats but the deleted ones, hidden branches too; best first. */
export function searchChats(connection: Connection, query: string, limit: number): ChatHit[] {
  const titles = new Map<string, string>();
  const titleOf = (chatId: string): string => {
    const title = titles.get(chatId) ?? chat(connection, chatId)?.title ?? "";
    titles.set(chatId, title);
    return title;
  };
  return search(connection, query, { limit }).map(({ messageId, sessionId, turnId, snippet }) => {
    const sql = "SELECT role, created_at AS createdAt FROM message WHERE id = ?";
    const found = readRow(connection, "message", FoundRow, connection.statement(sql).get(messageId));
    return { chatId: sessionId, chatTitle: titleOf(sessionId), turnId, messageId, snippet, ...found };
  });
}
