import type { Connection } from "../connection.ts";
import type { StoredRecord, Value } from "./records.ts";

/** A row of ours, by the names of its columns. */
export type Row = Readonly<Record<string, Value>>;

interface Column {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
  /** A later schema added it: an older row ends before it. */
  readonly fallback: Value | undefined;
  readonly isRowid: boolean;
}

interface Layout {
  readonly table: string;
  readonly hasRowid: boolean;
  readonly columns: readonly Column[];
  /** So many columns the oldest row has. */
  readonly fewest: number;
}

/** Numbers that the store makes again by itself; their rows look like those of an index. */
const notTaken = new Set(["counter"]);

/** An index of turns has rows of the same shape as a draft: only a draft has a time. */
const EARLIEST_TIME = 1e11;
const doubtful: Readonly<Record<string, (row: Row) => boolean>> = {
  draft: ({ updated_at }) => Number(updated_at) < EARLIEST_TIME,
};

/**
 * Tells from its shape what table a record is of, by the schema of a sound database: no two of our tables have rows of
 * one shape, nor has a table the shape of an index.
 */
export function readLayouts(connection: Connection): (record: StoredRecord) => { table: string; row: Row } | undefined {
  const layouts = tablesOf(connection).map(({ name, wr }) => layoutOf(connection, name, wr === 0));
  return (record) => {
    for (const layout of layouts) {
      const row = rowOf(layout, record);
      if (row) return { table: layout.table, row };
    }
    return undefined;
  };
}

const tablesOf = (connection: Connection) =>
  (
    connection
      .statement(
        "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'",
      )
      .all() as { name: string; wr: number }[]
  ).filter(({ name }) => !notTaken.has(name));

function layoutOf(connection: Connection, table: string, hasRowid: boolean): Layout {
  const found = connection
    .statement('SELECT name, type, "notnull" AS mandatory, dflt_value AS fallback, pk FROM pragma_table_info(?)')
    .all(table) as { name: string; type: string; mandatory: number; fallback: string | null; pk: number }[];
  const columns = found.map(({ name, type, mandatory, fallback, pk }) => ({
    name,
    type,
    optional: mandatory === 0,
    fallback:
      fallback === null ? (mandatory === 0 ? null : undefined) : (JSON.parse(fallback.replaceAll("'", '"')) as Value),
    isRowid: hasRowid && pk === 1 && type === "INTEGER",
  }));
  const fewest = 1 + columns.findLastIndex(({ fallback, isRowid }) => fallback === undefined && !isRowid);
  return { table, hasRowid, columns, fewest };
}

function rowOf({ table, hasRowid, columns, fewest }: Layout, { rowid, values }: StoredRecord): Row | undefined {
  if (hasRowid !== (rowid !== undefined) || values.length < fewest || values.length > columns.length) return undefined;
  const row: Record<string, Value> = {};
  for (const [at, column] of columns.entries()) {
    const value = at < values.length ? values[at] : column.fallback;
    if (value === undefined || !fits(column, value)) return undefined;
    row[column.name] = column.isRowid ? (rowid ?? null) : value;
  }
  return doubtful[table]?.(row) ? undefined : row;
}

function fits({ type, optional, isRowid }: Column, value: Value): boolean {
  if (isRowid) return value === null;
  if (value === null) return optional;
  if (type === "TEXT") return typeof value === "string";
  if (type === "BLOB") return typeof value === "object";
  return typeof value === "number" && (type === "REAL" || Number.isSafeInteger(value));
}
