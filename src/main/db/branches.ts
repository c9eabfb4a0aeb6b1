import { AppError } from "../../shared/errors.ts";
import type { Connection } from "./connection.ts";

/** The turn that a new one of a session follows; null if it is the first. */
export function lastShown(connection: Connection, sessionId: string): string | null {
  const sql = "SELECT id FROM turn WHERE session_id = ? AND shown = 1 ORDER BY position DESC LIMIT 1";
  return (connection.statement(sql).pluck().get(sessionId) ?? null) as string | null;
}

/** What stands before a turn of this session; undefined: it has no such turn. */
export function parentOf(connection: Connection, sessionId: string, turnId: string): { id: string | null } | undefined {
  const sql = "SELECT parent_id AS id FROM turn WHERE id = ? AND session_id = ?";
  return connection.statement(sql).get(turnId, sessionId) as { id: string | null } | undefined;
}

/** Its ancestors, the turn itself, and from it on the newest child of each. UNION ends where damage has made a circle. */
const path = `WITH RECURSIVE
  ancestor (id, parent_id) AS (
    SELECT id, parent_id FROM turn WHERE id = @turnId
    UNION SELECT turn.id, turn.parent_id FROM ancestor CROSS JOIN turn ON turn.id = ancestor.parent_id
  ),
  follower (id) AS (
    SELECT @turnId
    UNION SELECT (
      SELECT id FROM turn WHERE session_id = @sessionId AND parent_id = follower.id ORDER BY position DESC LIMIT 1
    ) FROM follower WHERE id IS NOT NULL
  ),
  path (id) AS MATERIALIZED (SELECT id FROM ancestor UNION ALL SELECT id FROM follower WHERE id IS NOT NULL)`;

/** Shows the branch that has this turn, with the newest of what followed it. */
export function showTurn(connection: Connection, turnId: string): void {
  const sessionId = connection.statement("SELECT session_id FROM turn WHERE id = ?").pluck().get(turnId);
  if (sessionId === undefined) throw new AppError("not-found", `There is no turn ${turnId}.`);
  connection
    .statement(
      `${path} UPDATE turn SET shown = 1 - shown
       WHERE session_id = @sessionId AND shown <> (id IN (SELECT id FROM path))`,
    )
    .run({ turnId, sessionId });
}

/** For each of these turns, the turns that stand at its place, oldest first. */
export function variantsOf(connection: Connection, turnIds: readonly string[]): { of: string; id: string }[] {
  const sql = `SELECT turn.id AS "of", variant.id FROM json_each(?) AS wanted
               CROSS JOIN turn ON turn.id = wanted.value
               CROSS JOIN turn AS variant
                 ON variant.session_id = turn.session_id AND variant.parent_id IS turn.parent_id
               ORDER BY wanted.key, variant.position`;
  return connection.statement(sql).all(JSON.stringify(turnIds)) as { of: string; id: string }[];
}
