import { toAppError } from "../../shared/errors.ts";
import type { Connection } from "./connection.ts";
import { callInvariants, inboundInvariants, turnInvariants } from "./invariants.ts";
import { hashOf, type MessageRow, messageColumns, toMessage } from "./message-row.ts";
import { isReadable, type Packed } from "./requests.ts";
import { checkIndexes, isRebuilding, searchText } from "./search-index.ts";

/** Something in a database that is not as it was written. */
export interface Problem {
  readonly code: "structure" | "reference" | "message" | "chunk" | "turn" | "inbound" | "call" | "request" | "search";
  readonly text: string;
}

const answersTo = (questions: readonly string[]) => (connection: Connection) =>
  questions.flatMap((sql) => connection.statement(sql).pluck().all().map(String));

type Check = (connection: Connection) => string[];

const structureBy =
  (pragma: "integrity_check" | "quick_check"): Check =>
  (connection) =>
    connection
      .statement(`PRAGMA ${pragma}(20)`)
      .pluck()
      .all()
      .map(String)
      .filter((line) => line !== "ok");

function damagedMessages(connection: Connection, from: number): string[] {
  const sql = `SELECT ${messageColumns}, message.hash, message.text FROM message WHERE id >= ?`;
  const rows = connection.statement(sql).iterate(from);
  const damaged: string[] = [];
  for (const row of rows as IterableIterator<MessageRow & { hash: Buffer; text: string | null }>) {
    if (!hashOf(row).equals(row.hash)) damaged.push(`Message ${row.id} is not what was written.`);
    else if (searchText(toMessage(row)) !== row.text) damaged.push(`Message ${row.id} is searched by other words.`);
  }
  return damaged;
}

function unfinishedSearch(connection: Connection): string[] {
  return isRebuilding(connection) ? ["Search does not have every message yet."] : [];
}

/** Each kind of damage and how it is found; a check that cannot even run has found some too. */
const checks: Readonly<Record<Problem["code"], Check>> = {
  structure: structureBy("integrity_check"),

  reference: (connection) =>
    connection
      .statement("SELECT DISTINCT \"table\" || ' points to a missing row of ' || parent FROM pragma_foreign_key_check")
      .pluck()
      .all()
      .map(String),

  message: (connection) => damagedMessages(connection, 0),

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

  turn: answersTo(turnInvariants),
  inbound: answersTo(inboundInvariants),
  call: answersTo(callInvariants),

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
    if (isRebuilding(connection)) return unfinishedSearch(connection);
    checkIndexes(connection);
    return [];
  },
};

/** So many of the newest rows are what the last minutes wrote. */
const NEWEST = 2_000;

/** What a crash can have touched, in the time that a start has. */
const quickChecks: Partial<Record<Problem["code"], Check>> = {
  structure: structureBy("quick_check"),
  message(connection) {
    const newest = Number(connection.statement("SELECT max(id) FROM message").pluck().get() ?? 0);
    return damagedMessages(connection, newest - NEWEST);
  },
  chunk: checks.chunk,
  turn: checks.turn,
  inbound: checks.inbound,
  call: checks.call,
  search: unfinishedSearch,
};

/**
 * Looks at everything: structure, references, hashes, streamed pieces, turns, what was accepted, calls, requests,
 * search. Takes seconds for 100,000 messages, most of them for the indexes: not while somebody waits.
 */
export const check = (connection: Connection): Problem[] => look(connection, checks);

/** Looks at these only. */
export const checkOnly = (connection: Connection, codes: readonly Problem["code"][]): Problem[] =>
  look(connection, Object.fromEntries(codes.map((code) => [code, checks[code]])));

/** Everything but the comparison of search with the rows, for which SQLite wants to be able to write. */
export function checkReadOnly(connection: Connection): Problem[] {
  return look(connection, { ...checks, search: unfinishedSearch });
}

/** What a crash can have touched: the structure, the newest rows, what was under way. Only reads. */
export const quickCheck = (connection: Connection): Problem[] => look(connection, quickChecks);

function look(connection: Connection, wanted: Partial<Record<Problem["code"], Check>>): Problem[] {
  return Object.entries(wanted).flatMap(([code, find]) => {
    try {
      return connection.read(() => find(connection)).map((text) => ({ code: codeOf(code, text), text }));
    } catch (thrown) {
      return [{ code: codeOf(code, ""), text: toAppError(thrown).message }];
    }
  });
}

/** SQLite looks into the indexes of search as well, and they are another matter: they can be made anew. */
const codeOf = (code: string, text: string): Problem["code"] =>
  /\bfts5\b/i.test(text) ? "search" : (code as Problem["code"]);
