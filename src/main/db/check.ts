import { toAppError } from "../../shared/errors.ts";
import type { Connection } from "./connection.ts";
import { hashOf, type MessageRow, messageColumns, toMessage } from "./message-row.ts";
import { checkIndexes, searchText } from "./search-index.ts";

/** Something in a database that is not as it was written. */
export interface Problem {
  readonly code: "structure" | "reference" | "message" | "chunk" | "search";
  readonly text: string;
}

/** Each kind of damage and how it is found; a check that cannot even run has found some too. */
const checks: Readonly<Record<Problem["code"], (connection: Connection) => string[]>> = {
  structure: (connection) =>
    connection
      .statement("PRAGMA integrity_check(20)")
      .pluck()
      .all()
      .map(String)
      .filter((line) => line !== "ok"),

  reference: (connection) =>
    connection
      .statement("SELECT DISTINCT \"table\" || ' points to a missing row of ' || parent FROM pragma_foreign_key_check")
      .pluck()
      .all()
      .map(String),

  message(connection) {
    const rows = connection.statement(`SELECT ${messageColumns}, message.hash, message.text FROM message`).iterate();
    const damaged: string[] = [];
    for (const row of rows as IterableIterator<MessageRow & { hash: Buffer; text: string | null }>) {
      if (!hashOf(row).equals(row.hash)) damaged.push(`Message ${row.id} is not what was written.`);
      else if (searchText(toMessage(row)) !== row.text) damaged.push(`Message ${row.id} is searched by other words.`);
    }
    return damaged;
  },

  chunk: (connection) =>
    connection
      .statement(
        `SELECT 'Message ' || message_id || ' has streamed pieces that are ' ||
                iif(count(*) = max(position), 'left over.', 'not complete.')
         FROM message_chunk LEFT JOIN message ON message.id = message_id
         GROUP BY message_id HAVING count(*) <> max(position) OR status IS NOT 'streaming'`,
      )
      .pluck()
      .all()
      .map(String),

  search(connection) {
    checkIndexes(connection);
    return [];
  },
};

/**
 * Looks at everything: structure, references, hashes, streamed pieces, search. Takes seconds for 100,000 messages,
 * most of them for the indexes: not while somebody waits.
 */
export function check(connection: Connection): Problem[] {
  const codes = Object.keys(checks) as Problem["code"][];
  return codes.flatMap((code) => {
    try {
      return connection.read(() => checks[code](connection)).map((text) => ({ code, text }));
    } catch (thrown) {
      return [{ code, text: toAppError(thrown).message }];
    }
  });
}
