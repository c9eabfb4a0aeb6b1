import { copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import Sqlite, { type Database } from "better-sqlite3";
import type { AppError } from "../../shared/errors.ts";
import { type Connection, connect } from "./connection.ts";
import { migrate, newestSchema, schemaOf } from "./migrations.ts";
import { storeError, toStoreError } from "./store-errors.ts";

/** What protects the one who reads a file that may be anybody's. */
const pragmas = ["query_only = 1", "trusted_schema = 0", "cell_size_check = 1", "mmap_size = 0", "temp_store = 2"];

/**
 * Opens the database at `path` to read it: every write throws `reason`. Nothing of the file or the journal beside it
 * changes. Where even a reader would have to write (no room for the journal's index, an older schema), it is a copy in
 * memory that is read. Throws what keeps it from being read.
 */
export function openReadOnly(path: string, reason: AppError): Connection {
  try {
    const direct = openDirectly(path);
    const sqlite = direct && schemaOf(direct) >= newestSchema ? direct : inMemory(path, direct);
    for (const pragma of pragmas) sqlite.pragma(pragma);
    return connect(sqlite, path, { readOnly: reason });
  } catch (thrown) {
    throw toStoreError(path, thrown);
  }
}

/** Undefined where SQLite would have to write beside it. */
function openDirectly(path: string): Database | undefined {
  const sqlite = new Sqlite(path, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    requireTables(sqlite, path);
    return sqlite;
  } catch (thrown) {
    sqlite.close();
    if (isHindered(thrown)) return undefined;
    throw thrown;
  }
}

const isHindered = (thrown: unknown): boolean =>
  thrown instanceof Error && "code" in thrown && /^SQLITE_(CANTOPEN|READONLY|IOERR|FULL)/.test(String(thrown.code));

function requireTables(sqlite: Database, path: string): void {
  if (sqlite.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() === 0) throw storeError("data-damaged", path);
}

function inMemory(path: string, direct: Database | undefined): Database {
  const bytes = direct?.serialize() ?? readAside(path);
  direct?.close();
  bytes.fill(1, 18, 20); // in memory there is no journal beside it
  const sqlite = new Sqlite(bytes);
  requireTables(sqlite, path);
  if (schemaOf(sqlite) < newestSchema) migrate(sqlite, path);
  return sqlite;
}

/** The file with what its journal holds, put together in a folder of our own that is gone at once. */
function readAside(path: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "lares-read-"));
  try {
    const copy = join(folder, basename(path));
    for (const suffix of ["", "-wal"]) {
      if (statSync(`${path}${suffix}`, { throwIfNoEntry: false })) copyFileSync(`${path}${suffix}`, `${copy}${suffix}`);
    }
    const sqlite = new Sqlite(copy);
    try {
      return sqlite.serialize();
    } finally {
      sqlite.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
