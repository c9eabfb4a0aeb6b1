import type { Message } from "../../shared/message.ts";
import type { Connection } from "./connection.ts";

/** One index of whole words, one of every three neighbouring characters. */
const indexes = ["message_word", "message_trigram"] as const;

/** Of a longer text only the beginning is searched: indexing 5 MB would hold everything up for seconds. */
const MAX_TEXT = 200_000;

/** What search sees of a message: what people and the assistant said, once it is said. Null if that is nothing. */
export function searchText({ role, kind, status, parts }: Pick<Message, "role" | "kind" | "status" | "parts">) {
  const isOpen = status === "pending" || status === "streaming";
  const isSaid = kind === "chat" && status !== "hidden" && (role === "user" || (role === "assistant" && !isOpen));
  if (!isSaid) return null;
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return text.slice(0, MAX_TEXT).toWellFormed() || null;
}

/** Brings the indexes from one text of a row to another. They keep no copy of it, so they are told both. */
export function reindex(connection: Connection, id: number, before: string | null, after: string | null): void {
  if (before === after) return;
  for (const index of indexes) {
    if (before !== null) {
      const sql = `INSERT INTO ${index} (${index}, rowid, text) VALUES ('delete', ?, ?)`;
      connection.statement(sql).run(id, before);
    }
    if (after !== null) connection.statement(`INSERT INTO ${index} (rowid, text) VALUES (?, ?)`).run(id, after);
  }
}

/** So many pages of an index are written at once: some 10 ms. */
const MERGED_PAGES = 100;

/**
 * A deleted word stays in an index, marked as deleted, until its part of the index is merged with all older ones. This
 * does a piece of that. Returns false when there is nothing left to do. (FTS5 can delete at once, with
 * 'secure-delete': measured, that takes 40 times as long.)
 */
export function mergeIndexes(connection: Connection): boolean {
  const changes = () => Number(connection.statement("SELECT total_changes()").pluck().get());
  const merged = indexes.map((index) => {
    const before = changes();
    connection.statement(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', -${MERGED_PAGES})`).run();
    return changes() - before >= 2; // one is for the command itself
  });
  return merged.includes(true);
}

/** Makes the indexes anew from the texts. Takes seconds for 100,000 messages, and all that time nothing else can be written. */
export function rebuildIndexes(connection: Connection): void {
  for (const index of indexes) connection.statement(`INSERT INTO ${index} (${index}) VALUES ('rebuild')`).run();
}

/** Throws data-damaged when an index is not what its texts make it. */
export function checkIndexes(connection: Connection): void {
  for (const index of indexes) {
    connection.statement(`INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 1)`).run();
  }
}
