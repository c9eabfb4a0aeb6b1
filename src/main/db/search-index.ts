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

/**
 * Brings the indexes from one text of a row to another. They keep no copy of it, so they are told both. While they are made
 * anew, what has not been reached yet is left to that.
 */
export function reindex(connection: Connection, id: number, before: string | null, after: string | null): void {
  if (before === after || id > indexedTo(connection)) return;
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

/** Makes the indexes anew from the texts, of a database that nobody else uses: for 100,000 messages it takes seconds. */
export function rebuildIndexes(connection: Connection): void {
  for (const index of indexes) connection.statement(`INSERT INTO ${index} (${index}) VALUES ('rebuild')`).run();
}

/** The counter that is there while the indexes are made anew, piece by piece: rows up to it are in them. */
const PROGRESS = "indexed-to";

/** So many characters go into the indexes at once: some milliseconds. */
const PIECE = 6_000;

function indexedTo(connection: Connection): number {
  const sql = "SELECT value FROM counter WHERE name = ?";
  return Number(connection.statement(sql).pluck().get(PROGRESS) ?? Number.MAX_SAFE_INTEGER);
}

/** Whether a rebuild was begun and has not come to its end. */
export const isRebuilding = (connection: Connection): boolean => indexedTo(connection) < Number.MAX_SAFE_INTEGER;

/** Empties the indexes, to be filled by `rebuildPiece`. One that was begun goes on where it was. */
export function beginRebuild(connection: Connection): void {
  if (isRebuilding(connection)) return;
  for (const index of indexes) connection.statement(`INSERT INTO ${index} (${index}) VALUES ('delete-all')`).run();
  connection.statement("INSERT INTO counter (name, value) VALUES (?, 0)").run(PROGRESS);
}

/** Puts the next rows into the indexes. Returns false when all are in. */
export function rebuildPiece(connection: Connection): boolean {
  const sql = "SELECT id, text FROM message_text WHERE id > ? ORDER BY id LIMIT 100";
  const rows = connection.statement(sql).all(indexedTo(connection)) as { id: number; text: string }[];
  let last: number | undefined;
  let length = 0;
  for (const { id, text } of rows) {
    if (length >= PIECE) break;
    for (const index of indexes) connection.statement(`INSERT INTO ${index} (rowid, text) VALUES (?, ?)`).run(id, text);
    last = id;
    length += text.length;
  }
  const progress =
    last === undefined
      ? "DELETE FROM counter WHERE name = @name"
      : "UPDATE counter SET value = @last WHERE name = @name";
  connection.statement(progress).run({ name: PROGRESS, ...(last !== undefined && { last }) });
  return last !== undefined;
}

/** Throws data-damaged when an index is not what its texts make it. */
export function checkIndexes(connection: Connection): void {
  for (const index of indexes) {
    connection.statement(`INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 1)`).run();
  }
}
