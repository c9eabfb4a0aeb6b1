import { type LedgerEnd, LedgerRow, type LedgerTotals, type NewLedgerRow } from "../../shared/network.ts";
import type { Connection } from "./connection.ts";
import { readRow } from "./rows.ts";

/** So many rows are kept; older ones go a thousand at a time. */
const MOST_ROWS = 100_000;
const AT_ONCE = 1000;

const columns = `id, at, chat_id AS chatId, turn_id AS turnId, purpose, host, port, address, place, model,
  body_out AS bodyOut, body_in AS bodyIn, status, outcome, error, ended_at AS endedAt`;

/** Writes a connection down, before its first byte. Returns the number of its row. */
export function openLedgerRow(connection: Connection, row: NewLedgerRow): number {
  const { chatId = null, turnId = null, address = null, model = null, error = null, ...rest } = row;
  const { lastInsertRowid } = connection
    .statement(
      `INSERT INTO network (at, chat_id, turn_id, purpose, host, port, address, place, model, outcome, error)
       VALUES (@at, @chatId, @turnId, @purpose, @host, @port, @address, @place, @model, @outcome, @error)`,
    )
    .run({ ...rest, chatId, turnId, address, model, error });
  const id = Number(lastInsertRowid);
  if (id % AT_ONCE === 0) connection.statement("DELETE FROM network WHERE id <= ?").run(id - MOST_ROWS);
  return id;
}

/** Closes an open row with what crossed. A row that is closed, or gone, stays as it is. */
export function closeLedgerRow(connection: Connection, id: number, end: LedgerEnd): void {
  const { status = null, error = null, ...rest } = end;
  connection
    .statement(
      `UPDATE network SET body_out = @bodyOut, body_in = @bodyIn, outcome = @outcome, status = @status, error = @error,
         ended_at = @endedAt
       WHERE id = @id AND outcome = 'open'`,
    )
    .run({ ...rest, id, status, error });
}

/** What the last run of the app left open was cut off by its end. */
export function closeLeftRows(connection: Connection, now: number): void {
  connection
    .statement("UPDATE network SET outcome = 'failed', error = 'interrupted', ended_at = ? WHERE outcome = 'open'")
    .run(now);
}

export interface LedgerQuery {
  readonly chatId?: string | undefined;
  /** Older than this row. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Rows of the ledger, newest first. */
export function ledgerRows(connection: Connection, { chatId, before, limit }: LedgerQuery): LedgerRow[] {
  const where = chatId === undefined ? "id < @before" : "chat_id = @chatId AND id < @before";
  const rows = connection
    .statement(`SELECT ${columns} FROM network WHERE ${where} ORDER BY id DESC LIMIT @limit`)
    .all({ before: before ?? Number.MAX_SAFE_INTEGER, limit, ...(chatId !== undefined && { chatId }) });
  return rows.map((row) => readRow(connection, "network", LedgerRow, row));
}

export function ledgerRow(connection: Connection, id: number): LedgerRow | undefined {
  const row = connection.statement(`SELECT ${columns} FROM network WHERE id = ?`).get(id);
  return row === undefined ? undefined : readRow(connection, "network", LedgerRow, row);
}

/** All that left and came, of a chat or of everything. What was refused never was a connection. */
export function ledgerTotals(connection: Connection, chatId?: string): LedgerTotals {
  const where = chatId === undefined ? "" : "AND chat_id = @chatId";
  const given = chatId === undefined ? {} : { chatId };
  const byHost = connection
    .statement(
      `SELECT host, place, count(*) AS connections, sum(body_out) AS bodyOut, sum(body_in) AS bodyIn
       FROM network WHERE outcome <> 'refused' ${where} GROUP BY host, place ORDER BY bodyOut DESC, host`,
    )
    .all(given) as LedgerTotals["byHost"][number][];
  const refused = connection
    .statement(`SELECT count(*) FROM network WHERE outcome = 'refused' ${where}`)
    .pluck()
    .get(given) as number;
  const sum = (key: "connections" | "bodyOut" | "bodyIn") => byHost.reduce((total, host) => total + host[key], 0);
  return { connections: sum("connections"), refused, bodyOut: sum("bodyOut"), bodyIn: sum("bodyIn"), byHost };
}
