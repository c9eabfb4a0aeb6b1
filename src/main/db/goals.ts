import { Goal, GoalBudget } from "../../shared/goal.ts";
import type { Connection } from "./connection.ts";
import { json, readRow, toJson } from "./rows.ts";

const GoalRow = Goal.unwrap().extend({ budget: json(GoalBudget), spent: json(GoalBudget) });

/** The goal of a chat, reached or not; undefined: it never had one. */
export function goal(connection: Connection, sessionId: string): Goal | undefined {
  const sql = `SELECT session_id AS sessionId, text, state, reason, note, budget, spent, created_at AS createdAt,
                 updated_at AS updatedAt
               FROM goal WHERE session_id = ?`;
  const row = connection.statement(sql).get(sessionId);
  return row === undefined ? undefined : readRow(connection, "goal", GoalRow, row);
}

/** Puts it in the place of the one before. */
export function setGoal(connection: Connection, goal: Goal): void {
  const { reason = null, note = null, budget, spent, ...rest } = goal;
  connection
    .statement(
      `INSERT OR REPLACE INTO goal (session_id, text, state, reason, note, budget, spent, created_at, updated_at)
       VALUES (@sessionId, @text, @state, @reason, @note, @budget, @spent, @createdAt, @updatedAt)`,
    )
    .run({ ...rest, reason, note, budget: toJson(budget), spent: toJson(spent) });
}
