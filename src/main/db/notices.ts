import { z } from "zod";
import { ErrorCode } from "../../shared/errors.ts";
import type { Notice } from "../../shared/views.ts";
import type { Connection } from "./connection.ts";
import { readRow } from "./rows.ts";

const NoticeRow = z.object({ turnId: z.string(), code: ErrorCode.or(z.literal("info")), text: z.string() });

export function addNotice(connection: Connection, turnId: string, { code, text }: Notice): void {
  connection
    .statement(
      `INSERT INTO notice (turn_id, position, code, text)
       VALUES (@turnId, (SELECT coalesce(max(position), 0) + 1 FROM notice WHERE turn_id = @turnId), @code, @text)`,
    )
    .run({ turnId, code, text });
}

/** The notices of these turns; those of one turn are in order. */
export function noticesOf(connection: Connection, turnIds: readonly string[]): (Notice & { turnId: string })[] {
  const sql = `SELECT turn_id AS turnId, code, text
               FROM notice WHERE turn_id IN (SELECT value FROM json_each(?)) ORDER BY turn_id, position`;
  const rows = connection.statement(sql).all(JSON.stringify(turnIds));
  return rows.map((row) => readRow(connection, "notice", NoticeRow, row));
}
