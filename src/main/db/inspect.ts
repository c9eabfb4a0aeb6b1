import Sqlite from "better-sqlite3";
import { type Connection, connect } from "./connection.ts";
import { toStoreError } from "./store-errors.ts";

/**
 * Looks into a database of any schema, beside whoever uses it: the connection cannot write to it, and closing it leaves
 * the file and its journal as they were. Throws an AppError where it does not open.
 */
export function inspect<T>(path: string, look: (connection: Connection) => T): T {
  try {
    const sqlite = new Sqlite(path, { readonly: true, fileMustExist: true, timeout: 5_000 });
    try {
      for (const pragma of ["trusted_schema = 0", "cell_size_check = 1", "mmap_size = 0"]) sqlite.pragma(pragma);
      return look(connect(sqlite, path));
    } finally {
      sqlite.close();
    }
  } catch (thrown) {
    throw toStoreError(path, thrown);
  }
}
