import type { Connection } from "./connection.ts";

/** One index of whole words, one of every three neighbouring characters. */
const indexes = ["message_word", "message_trigram"] as const;

/** Puts a row into the indexes, if the view message_text shows it. */
export function indexText(connection: Connection, id: number): void {
  for (const index of indexes) {
    connection.statement(`INSERT INTO ${index} (rowid, text) SELECT id, text FROM message_text WHERE id = ?`).run(id);
  }
}

/** Takes a row out again. Before its text changes: the indexes keep no copy of it. */
export function unindexText(connection: Connection, id: number): void {
  for (const index of indexes) {
    connection
      .statement(
        `INSERT INTO ${index} (${index}, rowid, text) SELECT 'delete', id, text FROM message_text WHERE id = ?`,
      )
      .run(id);
  }
}

/** Throws data-damaged when an index is not what its texts make it. */
export function checkIndexes(connection: Connection): void {
  for (const index of indexes) {
    connection.statement(`INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 1)`).run();
  }
}
