import { toAppError } from "../../shared/errors.ts";
import type { Connection } from "./connection.ts";
import { hashOf, type MessageRow, messageColumns, toMessage } from "./message-row.ts";
import { type Packed, unpack } from "./requests.ts";
import { checkIndexes, searchText } from "./search-index.ts";

/** Something in a database that is not as it was written. */
export interface Problem {
  readonly code: "structure" | "reference" | "message" | "chunk" | "turn" | "request" | "search";
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

  turn: (connection) => turnProblems.flatMap((sql) => connection.statement(sql).pluck().all().map(String)),

  request(connection) {
    const sql = `SELECT 'The size of what was sent is kept wrongly.' FROM counter
                 WHERE name = 'sent-bytes' AND value <> (SELECT coalesce(sum(length(body)), 0) FROM request_sent)`;
    const problems = connection.statement(sql).pluck().all().map(String);
    const bodies = connection.statement("SELECT turn_id AS turnId, deflated, body FROM request_sent").iterate();
    for (const row of bodies as IterableIterator<Packed & { turnId: string }>) {
      if (!isReadable(row)) problems.push(`What turn ${row.turnId} sent does not read.`);
    }
    return problems;
  },

  search(connection) {
    checkIndexes(connection);
    return [];
  },
};

/** What would make rows or whole branches invisible. */
const turnProblems = [
  `SELECT 'Message ' || message.id || ' is outside the rows of its turn.' FROM message JOIN turn ON turn.id = turn_id
   WHERE message.id NOT BETWEEN first_message AND coalesce(last_message, message.id)
     OR message.session_id <> turn.session_id`,
  `SELECT 'Turn ' || turn.id || ' follows no turn before it in its chat.' FROM turn
   LEFT JOIN turn AS parent
     ON parent.id = turn.parent_id AND parent.session_id = turn.session_id AND parent.position < turn.position
   WHERE turn.parent_id IS NOT NULL AND parent.id IS NULL`,
  `SELECT 'Turn ' || turn.id || ' is shown after one that is hidden.' FROM turn
   JOIN turn AS parent ON parent.id = turn.parent_id WHERE turn.shown = 1 AND parent.shown = 0`,
  `SELECT 'Chat ' || session_id || ' shows ' || count(*) || ' turns at one place.' FROM turn
   WHERE shown = 1 GROUP BY session_id, parent_id HAVING count(*) > 1`,
];

/**
 * A changed letter in a text may pass: there is no hash over what was sent. What a turn sent before a crash is not there;
 * what it sent after it went on is.
 */
function isReadable(row: Packed): boolean {
  try {
    unpack(row, 1);
    return true;
  } catch {
    return false;
  }
}

/**
 * Looks at everything: structure, references, hashes, streamed pieces, turns, requests, search. Takes seconds for 100,000 messages,
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
