import type { Connection } from "./connection.ts";

/** The id of the next message. Ids only grow, also where the newest rows were removed: a turn looks for its rows from an id on. */
export function nextMessageId(connection: Connection): number {
  const sql = `SELECT max(
                 coalesce((SELECT max(id) FROM message), 0), (SELECT value FROM counter WHERE name = 'message-floor')
               ) + 1`;
  return Number(connection.statement(sql).pluck().get());
}

/** Remembers the newest id; to be called before rows are removed. */
export function raiseMessageFloor(connection: Connection): void {
  const sql = "UPDATE counter SET value = ? WHERE name = 'message-floor'";
  connection.statement(sql).run(nextMessageId(connection) - 1);
}
