import { z } from "zod";
import { AppError } from "../../shared/errors.ts";
import type { Session } from "../../shared/turn.ts";
import type { Connection } from "./connection.ts";
import { readRow } from "./rows.ts";

const SessionRow = z.object({
  id: z.string(),
  title: z.string(),
  model: z.string().exactOptional(),
  createdAt: z.number(),
  updatedAt: z.number(),
});

export function openSession(connection: Connection, id: string, now: number): Session {
  const found = find(connection, id);
  if (found) return found;
  connection.statement("INSERT INTO session (id, created_at, updated_at) VALUES (?, ?, ?)").run(id, now, now);
  return { id, title: "", createdAt: now, updatedAt: now };
}

function find(connection: Connection, id: string): Session | undefined {
  const sql = "SELECT id, title, model, created_at AS createdAt, updated_at AS updatedAt FROM session WHERE id = ?";
  const row = connection.statement(sql).get(id);
  return row === undefined ? undefined : readRow(connection, "session", SessionRow, row);
}

export function setSessionModel(connection: Connection, id: string, model: string | undefined): void {
  const { changes } = connection.statement("UPDATE session SET model = ? WHERE id = ?").run(model ?? null, id);
  if (changes === 0) throw new AppError("not-found", `There is no chat ${id}.`);
}

/** Something was said in the session. */
export function touchSession(connection: Connection, id: string, now: number): void {
  connection.statement("UPDATE session SET updated_at = ? WHERE id = ?").run(now, id);
}
