import type { Connection } from "./connection.ts";
import { raiseMessageFloor } from "./message-id.ts";
import { removeRows } from "./messages.ts";
import { mergeIndexes } from "./search-index.ts";

/** So many rows, or the turn that reaches it, are removed at once: nobody waits for long. */
const ROWS = 100;

/** One whose turn still runs is not due. Those that have turns come first. */
const dueChats = `SELECT id, EXISTS (SELECT 1 FROM turn WHERE session_id = session.id) AS hasTurns FROM session
  WHERE deleted_at < ? AND NOT EXISTS (SELECT 1 FROM turn WHERE session_id = session.id AND ended_at IS NULL)
  ORDER BY hasTurns DESC, deleted_at, id`;

/** What a turn has beside its messages, from the outside in: nothing may point to what is gone. */
const ofTurn = [
  "DELETE FROM tool_call WHERE turn_id = ?",
  "DELETE FROM request_sent WHERE turn_id = ?",
  "DELETE FROM request WHERE turn_id = ?",
  "DELETE FROM trace WHERE turn_id = ?",
  "DELETE FROM notice WHERE turn_id = ?",
];

/** What is left of a chat without turns. */
const ofChat = [
  "DELETE FROM inbound WHERE session_id = ? AND state = 'accepted'",
  "DELETE FROM inbound WHERE session_id = ? AND state = 'draft'",
  "DELETE FROM draft WHERE chat_id = ?",
  "DELETE FROM goal WHERE session_id = ?",
  "DELETE FROM leaving_rule WHERE kind IN ('allow', 'chat') AND ref = ?",
  "DELETE FROM session WHERE id = ?",
];

/**
 * Removes for good what was deleted before `deletedBefore` (epoch ms), a piece at a time: call it until it returns
 * nothing. Returns the chats it worked on, which cannot be restored any more. First go the turns of each chat, then their
 * words from the indexes, then the chats. One whose turn still runs is left for later.
 */
export function purgeChats(connection: Connection, deletedBefore: number): string[] {
  const due = connection.statement(dueChats).all(deletedBefore) as { id: string; hasTurns: number }[];
  const ids = due.map(({ id }) => id);
  const [first] = due;
  if (!first) return [];
  if (first.hasTurns === 1) {
    raiseMessageFloor(connection);
    removeTurns(connection, first.id);
    return [first.id];
  }
  if (!mergeIndexes(connection)) for (const id of ids) for (const sql of ofChat) connection.statement(sql).run(id);
  return ids;
}

/** The newest ones first, so that what is left stays whole. */
function removeTurns(connection: Connection, chatId: string): void {
  connection.statement("UPDATE session SET deleted_at = 0 WHERE id = ?").run(chatId);
  const newest = connection.statement(
    "SELECT id, inbound_id AS inboundId FROM turn WHERE session_id = ? ORDER BY position DESC LIMIT 1",
  );
  for (let rows = 0; rows < ROWS; ) {
    const turn = newest.get(chatId) as { id: string; inboundId: string } | undefined;
    if (!turn) return;
    rows += 1 + removeTurn(connection, turn);
  }
}

function removeTurn(connection: Connection, { id, inboundId }: { id: string; inboundId: string }): number {
  for (const sql of ofTurn) connection.statement(sql).run(id);
  const removed = removeRows(connection, id);
  connection.statement("DELETE FROM turn WHERE id = ?").run(id);
  connection.statement("DELETE FROM inbound WHERE id = ? OR turn_id = ?").run(inboundId, id);
  return removed;
}
