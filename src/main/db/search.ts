import type { SearchHit } from "../../shared/message.ts";
import type { Connection } from "./connection.ts";

export interface SearchOptions {
  readonly sessionId?: string;
  readonly limit: number;
}

/** The trigram index knows nothing shorter. */
const INDEXED_LENGTH = 3;
/** Terms that no index knows are looked for in so many of the newest texts: some 40 ms. */
const NEWEST = 20_000;
/** More of a query is not read: nobody types it. */
const MAX_QUERY = 1_000;

const columns = "message_text.id AS messageId, message_text.session_id AS sessionId, message_text.turn_id AS turnId";

/**
 * Finds texts that hold every term of the query: whole words first, the most relevant first; then parts of words,
 * the newest first. Any query is a plain one: there is no syntax to get wrong.
 */
export function search(connection: Connection, query: string, options: SearchOptions): SearchHit[] {
  const terms = termsOf(query);
  if (terms.length === 0 || options.limit <= 0) return [];
  const words = findIndexed(connection, "message_word", terms, options);
  if (words.length >= options.limit) return words;
  const parts = terms.every(isIndexed)
    ? findIndexed(connection, "message_trigram", terms, options)
    : findInNewest(connection, terms, options);
  const known = new Set(words.map(({ messageId }) => messageId));
  return [...words, ...parts.filter(({ messageId }) => !known.has(messageId))].slice(0, options.limit);
}

const termsOf = (query: string): string[] =>
  query
    .slice(0, MAX_QUERY)
    .split(/[\s\0]+/u)
    .filter((term) => term !== "");

/** The index counts characters without their accents. */
const isIndexed = (term: string): boolean => [...term.normalize("NFD").replace(/\p{M}/gu, "")].length >= INDEXED_LENGTH;

/** Quoted, nothing in a term is syntax. */
const quoted = (term: string): string => `"${term.replaceAll('"', '""')}"`;

const undeleted = "AND message_text.session_id NOT IN (SELECT id FROM session WHERE deleted_at IS NOT NULL)";
const within = ({ sessionId }: SearchOptions): string =>
  sessionId === undefined ? undeleted : `${undeleted} AND message_text.session_id = @sessionId`;

const orders = { message_word: "rank", message_trigram: "message_trigram.rowid DESC" };
const snippetTokens = { message_word: 16, message_trigram: 48 };

function findIndexed(
  connection: Connection,
  index: keyof typeof orders,
  terms: readonly string[],
  options: SearchOptions,
): SearchHit[] {
  const sql = `SELECT ${columns}, snippet(${index}, 0, '', '', '…', ${snippetTokens[index]}) AS snippet
               FROM ${index} CROSS JOIN message_text ON message_text.id = ${index}.rowid
               WHERE ${index} MATCH @query ${within(options)} ORDER BY ${orders[index]} LIMIT @limit`;
  const query = terms.map(quoted).join(" ");
  return connection.statement(sql).all({ ...options, query }) as SearchHit[];
}

function findInNewest(connection: Connection, terms: readonly string[], options: SearchOptions): SearchHit[] {
  const sql = `WITH newest AS MATERIALIZED (
                 SELECT * FROM message_text WHERE true ${within(options)} ORDER BY id DESC LIMIT ${NEWEST}
               )
               SELECT id AS messageId, session_id AS sessionId, turn_id AS turnId,
                      substr(text, max(1, instr(lower(text), lower(@first)) - 24), 64) AS snippet
               FROM newest
               WHERE NOT EXISTS (SELECT 1 FROM json_each(@terms) WHERE instr(lower(text), lower(value)) = 0)
               ORDER BY id DESC LIMIT @limit`;
  const given = { ...options, first: terms[0], terms: JSON.stringify(terms) };
  return connection.statement(sql).all(given) as SearchHit[];
}
