import { AppError, toWire } from "../../../shared/errors.ts";
import { type Part, textOf } from "../../../shared/message.ts";
import type { Connection } from "../connection.ts";
import { nextMessageId } from "../message-id.ts";
import { hashOf } from "../message-row.ts";
import { finish, openRows, turnMessages } from "../messages.ts";
import { searchText } from "../search-index.ts";

/** Where a turn belongs its rows know, which have a hash; and what it answers belongs there too. */
const homes = [
  `UPDATE turn SET session_id = found.session_id
   FROM (SELECT turn_id, session_id, min(id) FROM message GROUP BY turn_id) AS found
   WHERE found.turn_id = turn.id AND found.session_id <> turn.session_id`,
  ...["turn.inbound_id = inbound.id", "turn.id = inbound.turn_id"].map(
    (owner) => `UPDATE inbound SET session_id = turn.session_id FROM turn
                WHERE ${owner} AND turn.session_id <> inbound.session_id`,
  ),
];

/** Chats and messages that something points to, and what points to nothing any more. */
const references = [
  `INSERT OR IGNORE INTO session (id, created_at, updated_at)
   SELECT session_id, min(at), max(at) FROM (
     SELECT session_id, created_at AS at FROM message UNION ALL SELECT session_id, started_at FROM turn
     UNION ALL SELECT session_id, created_at FROM inbound UNION ALL SELECT session_id, created_at FROM goal
   ) GROUP BY session_id`,
  ...["trace", "request", "request_sent", "notice", "tool_call"].map(
    (table) => `DELETE FROM ${table} WHERE turn_id NOT IN (SELECT id FROM turn)`,
  ),
];

/** A turn is open or it is over. */
const turns = [
  `UPDATE turn SET state = 'done', stop_reason = coalesce(stop_reason, 'interrupted'),
     ended_at = coalesce(ended_at, started_at), last_message = coalesce(last_message, first_message - 1)
   WHERE (ended_at IS NULL) <> (state <> 'done') OR (ended_at IS NULL) <> (stop_reason IS NULL)
     OR (ended_at IS NULL) <> (last_message IS NULL) OR (ended_at IS NULL AND recovery IS NOT NULL)`,
  `UPDATE turn SET first_message = min(first_message, found.low),
     last_message = iif(ended_at IS NULL, NULL, max(last_message, found.high))
   FROM (SELECT turn_id, min(id) AS low, max(id) AS high FROM message GROUP BY turn_id) AS found
   WHERE found.turn_id = turn.id`,
];

const owned = "SELECT inbound_id FROM turn UNION ALL SELECT id FROM inbound WHERE turn_id IN (SELECT id FROM turn)";

/** What was accepted and lost its turn waits for the person; what has one is as far as its turn is. */
const inbound = [
  `INSERT INTO inbound (id, session_id, channel, text, state, created_at)
   SELECT inbound_id, session_id, 'window', coalesce((
     SELECT text FROM message
     WHERE session_id = turn.session_id AND id >= first_message AND turn_id = turn.id AND role = 'user' AND kind <> 'note'
     ORDER BY id LIMIT 1
   ), ''), 'saved', started_at FROM turn WHERE inbound_id NOT IN (SELECT id FROM inbound)`,
  `UPDATE inbound SET state = 'draft', turn_id = NULL
   WHERE state IN ('taken', 'injected', 'saved') AND id NOT IN (${owned})`,
  "UPDATE inbound SET turn_id = NULL WHERE turn_id IS NOT NULL AND id IN (SELECT inbound_id FROM turn)",
  `UPDATE inbound SET state = iif(turn.ended_at IS NULL, 'taken', 'saved') FROM turn WHERE turn.inbound_id = inbound.id`,
  `UPDATE inbound SET state = iif(turn.ended_at IS NULL, 'injected', 'saved') FROM turn WHERE turn.id = inbound.turn_id`,
];

const answered = `SELECT message.turn_id, json_extract(part.value, '$.callId')
  FROM message JOIN json_each(parts) AS part
  WHERE role = 'tool' AND json_extract(part.value, '$.type') = 'tool-result'`;
const isAnswered = `(turn_id, id) IN (${answered})`;

/** Only what has an answer counts as a call that came to its end. */
const calls = [
  `DELETE FROM tool_call
   WHERE NOT EXISTS (SELECT 1 FROM message WHERE message.id = message_id AND message.turn_id = tool_call.turn_id)`,
  `DELETE FROM tool_call WHERE started_at IS NULL AND state IN ('running', 'finished', 'unknown')`,
  `DELETE FROM tool_call WHERE state IN ('requested', 'approved', 'running') AND ${isAnswered}`,
  `DELETE FROM tool_call WHERE NOT ${isAnswered} AND (
     state IN ('finished', 'failed', 'denied', 'skipped')
     OR EXISTS (SELECT 1 FROM turn WHERE turn.id = turn_id AND recovery IS NULL AND
                (tool_call.state = 'unknown' OR ended_at IS NOT NULL))
   )`,
];

const pieces = [
  "DELETE FROM message_chunk WHERE message_id NOT IN (SELECT id FROM message WHERE status = 'streaming')",
  `DELETE FROM message_chunk WHERE (message_id, position) IN (
     SELECT message_id, position FROM (
       SELECT message_id, position, row_number() OVER (PARTITION BY message_id ORDER BY position) AS number
       FROM message_chunk
     ) WHERE position <> number
   )`,
];

const branches = [
  `WITH torn AS (
     SELECT turn.session_id FROM turn LEFT JOIN turn AS parent
       ON parent.id = turn.parent_id AND parent.session_id = turn.session_id AND parent.position < turn.position
     WHERE (turn.parent_id IS NOT NULL AND parent.id IS NULL) OR (turn.shown = 1 AND parent.shown = 0)
     UNION SELECT session_id FROM turn WHERE shown = 1 GROUP BY session_id, parent_id HAVING count(*) > 1
   )
   UPDATE turn SET shown = 1, parent_id = (
     SELECT id FROM turn AS earlier WHERE earlier.session_id = turn.session_id AND earlier.position < turn.position
     ORDER BY earlier.position DESC LIMIT 1
   ) WHERE session_id IN (SELECT session_id FROM torn)`,
];

/**
 * Makes a whole of what was brought together from damaged pages: whatever points to something lost gets it anew or lets
 * go of it, and whoever said something finds it, as a row or as a draft. Returns the rows that were made again.
 */
export function mend(connection: Connection, now: number): MadeRow[] {
  const run = (list: readonly string[]) => list.forEach((sql) => void connection.statement(sql).run());
  adoptOrphans(connection);
  run([...homes, ...references, ...turns, ...inbound]);
  const made = restoreUserRows(connection, now);
  run(pieces);
  closeOpenRows(connection, now);
  run([...calls, ...branches]);
  return made;
}

/** Rows whose turn was lost get one in its place: right after the turn before it, whose number was free once it was lost. */
function adoptOrphans(connection: Connection): void {
  const orphans = connection
    .statement(
      `SELECT turn_id AS id, session_id AS sessionId, min(id) AS first, max(id) AS last, min(created_at) AS startedAt
       FROM message WHERE turn_id NOT IN (SELECT id FROM turn) GROUP BY turn_id ORDER BY min(id)`,
    )
    .all() as { id: string; sessionId: string; first: number; last: number; startedAt: number }[];
  for (const orphan of orphans) {
    connection
      .statement(
        `INSERT INTO turn (position, id, session_id, inbound_id, first_message, last_message, state, iteration,
           started_at, ended_at, stop_reason, shown)
         VALUES ((SELECT iif(position + 1 IN (SELECT position FROM turn), NULL, position + 1) FROM turn
                  WHERE first_message <= @first ORDER BY first_message DESC, position DESC LIMIT 1),
                 @id, @sessionId, @inboundId, @first, @last, 'done', 1, @startedAt, @startedAt, 'interrupted', 1)`,
      )
      .run({ ...orphan, inboundId: inboundOfLost(connection, orphan) });
  }
}

/** The accepted message of a lost turn, known by what it says. */
function inboundOfLost(connection: Connection, { id, sessionId }: { id: string; sessionId: string }): string {
  const sql = `SELECT inbound.id FROM message JOIN inbound ON inbound.session_id = @sessionId AND inbound.text = message.text
    WHERE message.session_id = @sessionId AND message.turn_id = @id AND role = 'user' AND inbound.turn_id IS NULL
      AND inbound.id NOT IN (SELECT inbound_id FROM turn)
    ORDER BY message.id, inbound.position LIMIT 1`;
  return String(connection.statement(sql).pluck().get({ id, sessionId }) ?? `rescued ${id}`);
}

/** A row that was made again. Empty: that there was one is all that is known. */
export interface MadeRow {
  readonly id: number;
  readonly isEmpty: boolean;
}

/** What was said is also in the queue: a row that was lost is made again from there, and the other way round. */
function restoreUserRows(connection: Connection, now: number): MadeRow[] {
  const wanting = connection
    .statement(
      `WITH said AS MATERIALIZED (
         SELECT turn_id, count(*) AS times FROM message WHERE role = 'user' AND kind <> 'note' GROUP BY turn_id
       ), joined AS MATERIALIZED (
         SELECT turn_id, count(*) AS times FROM inbound WHERE turn_id IS NOT NULL GROUP BY turn_id
       )
       SELECT turn.id FROM turn LEFT JOIN said ON said.turn_id = turn.id LEFT JOIN joined ON joined.turn_id = turn.id
       WHERE coalesce(said.times, 0) <> 1 + coalesce(joined.times, 0)
         AND (coalesce(said.times, 0) > 1 OR iif(ended_at IS NULL, phase IS NOT NULL, stop_reason <> 'command'))`,
    )
    .pluck()
    .all()
    .map(String);
  return wanting.flatMap((turnId) => restoreTurn(connection, turnId, now));
}

interface Said {
  readonly id: string;
  readonly text: string;
}

function restoreTurn(connection: Connection, turnId: string, now: number): MadeRow[] {
  const rows = turnMessages(connection, turnId).filter(({ role, kind }) => role === "user" && kind !== "note");
  const unused = rows.map(({ parts }) => textOf(parts));
  const queue = connection
    .statement(
      `SELECT inbound.id, inbound.text FROM inbound JOIN turn ON turn.id = @turnId
       WHERE inbound.id = turn.inbound_id OR inbound.turn_id = @turnId ORDER BY inbound.turn_id IS NOT NULL, inbound.position`,
    )
    .all({ turnId }) as Said[];
  const lost = queue.filter(({ text }) => {
    const at = unused.indexOf(text);
    if (at >= 0) unused.splice(at, 1);
    return at < 0;
  });
  const missing = Math.max(0, queue.length - rows.length);
  for (const [at, text] of unused.slice(0, Math.max(0, rows.length - queue.length)).entries()) {
    connection
      .statement(
        `INSERT INTO inbound (id, session_id, channel, text, state, created_at, turn_id)
         SELECT @id, session_id, 'window', @text, iif(ended_at IS NULL, 'injected', 'saved'), started_at, id
         FROM turn WHERE id = @turnId`,
      )
      .run({ id: `rescued ${turnId} ${at}`, text, turnId });
  }
  return lost.slice(0, missing).map(({ text }) => insertRow(connection, turnId, text, now));
}

/** At the place of a row that is gone where there is one in the turn, else at the end. */
function insertRow(connection: Connection, turnId: string, text: string, now: number): MadeRow {
  const { sessionId, first, last, startedAt } = connection
    .statement(
      `SELECT session_id AS sessionId, first_message AS first, coalesce(last_message, first_message) AS last,
         started_at AS startedAt
       FROM turn WHERE id = ?`,
    )
    .get(turnId) as { sessionId: string; first: number; last: number; startedAt: number };
  const taken = connection.statement("SELECT 1 FROM message WHERE id = ?").pluck();
  let id = Math.max(1, first);
  while (id <= last && taken.get(id)) id++;
  if (taken.get(id)) id = nextMessageId(connection);
  const parts: readonly Part[] = text === "" ? lost : [{ type: "text", text }];
  const row = {
    sessionId,
    turnId,
    role: "user",
    kind: "chat",
    origin: "model",
    status: "complete",
    createdAt: startedAt,
    finishedAt: now,
    usage: null,
    parts: JSON.stringify(parts),
  } as const;
  connection
    .statement(
      `INSERT INTO message (id, session_id, turn_id, role, kind, origin, status, created_at, finished_at, hash, parts, text)
       VALUES (@id, @sessionId, @turnId, @role, @kind, @origin, @status, @createdAt, @finishedAt, @hash, @parts, @text)`,
    )
    .run({ ...row, id, hash: hashOf(row), text: searchText({ ...row, parts }) });
  const widen = `UPDATE turn SET first_message = min(first_message, @id),
    last_message = iif(ended_at IS NULL, NULL, max(last_message, @id)) WHERE id = @turnId`;
  connection.statement(widen).run({ id, turnId });
  return { id, isEmpty: text === "" };
}

/** No provider takes a question without a word. */
const lost: readonly Part[] = [
  { type: "text", text: "[…]" },
  { type: "error", error: toWire(new AppError("data-damaged", "What was said here is lost.")) },
];

/** Of a row that was written on after the backup the end may be lost: it is not open any more, and says that it broke off. */
function closeOpenRows(connection: Connection, now: number): void {
  for (const { id, role, parts } of openRows(connection)) {
    finish(connection, id, { parts, status: role === "user" ? "complete" : "incomplete", finishedAt: now });
  }
}
