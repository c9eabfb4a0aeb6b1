import { accessSync, closeSync, constants, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Sqlite, { type Database } from "better-sqlite3";
import { AppError, type ErrorCode } from "../../shared/errors.ts";
import { syncFolder } from "../lib/atomic-write.ts";
import { type Connection, connect } from "./connection.ts";
import { examine, requireEngine, requireOurs, requireSound } from "./examine.ts";
import { copyBeforeMigration } from "./migration-copy.ts";
import { migrate, newestSchema, schemaOf } from "./migrations.ts";
import { openReadOnly } from "./read-only.ts";
import { storeError, toStoreError } from "./store-errors.ts";

export { requireEngine } from "./examine.ts";
export { openReadOnly } from "./read-only.ts";

/** Small pages keep small writes small: a step of a turn touches a handful of them. */
const pageSize = 2048;

/** Set at every open and read back: SQLite ignores what it does not know, and better-sqlite3 has defaults of its own. */
const pragmas: readonly [name: string, value: number | string][] = [
  ["journal_mode", "wal"],
  ["synchronous", 2], // a commit is on the disk when it returns, also through a power cut
  ["fullfsync", 1], // macOS: really on the disk
  ["checkpoint_fullfsync", 1],
  ["foreign_keys", 1],
  ["recursive_triggers", 1], // without it REPLACE would get past the triggers that guard closed rows
  ["trusted_schema", 0],
  ["cell_size_check", 1],
  ["mmap_size", 0],
  ["temp_store", 2], // sorting never spills what people say into a temporary file
  ["secure_delete", 1],
  ["busy_timeout", 5_000],
  ["wal_autocheckpoint", 1_000],
  ["journal_size_limit", 64 * 1024 * 1024],
];

/** What these read as where there is no file. */
const inMemory: ReadonlyMap<string, unknown> = new Map([
  ["journal_mode", "memory"],
  ["mmap_size", undefined],
]);

/** What keeps a file from being written, but not from being read. */
const readable: ReadonlySet<ErrorCode> = new Set(["data-newer", "data-read-only", "disk-full", "disk-error"]);

/**
 * Opens the database at `path`, making it if nothing is there; `:memory:` touches no disk. What may not be written, or
 * was written by a newer Lares, or could not be copied before a migration, is opened to be read: `readOnly` says why.
 * A file that is empty, damaged or foreign is refused as data-damaged and left as it is.
 */
export function openDatabase(path: string): Connection {
  try {
    return openToWrite(path);
  } catch (thrown) {
    const reason = toStoreError(path, thrown);
    if (!(reason instanceof AppError) || !readable.has(reason.code)) throw reason;
    return readInstead(path, reason);
  }
}

function readInstead(path: string, reason: AppError): Connection {
  try {
    return openReadOnly(path, reason);
  } catch {
    throw reason; // it was there first
  }
}

function openToWrite(path: string): Connection {
  if (path === ":memory:") return connect(prepare(path, true), path);
  if (isThere(path)) {
    for (const one of [path, dirname(path)]) accessSync(one, constants.R_OK | constants.W_OK);
    examine(path);
  } else create(path);
  return connect(prepare(path, false), path, { reopen: () => reopen(path) });
}

/** After trouble with the disk, nothing is taken on trust. */
function reopen(path: string): Database {
  if (!isThere(path)) throw storeError("data-folder", path);
  examine(path);
  const sqlite = prepare(path, false);
  try {
    requireSound(sqlite, path);
    return sqlite;
  } catch (thrown) {
    sqlite.close();
    throw thrown;
  }
}

function isThere(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found && !found.isFile()) throw storeError("data-folder", path);
  // A journal without its database, or nothing where chats should be: starting anew would hide a loss.
  if (found ? found.size === 0 : statSync(`${path}-wal`, { throwIfNoEntry: false })) {
    throw storeError("data-damaged", path);
  }
  return found !== undefined;
}

/** Built beside and then given its name, so that a file under this name is never half made. Only its owner can read it. */
function create(path: string): void {
  const draft = `${path}.new`;
  for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(`${draft}${suffix}`, { force: true });
  closeSync(openSync(draft, "wx", 0o600));
  const sqlite = prepare(draft, true);
  try {
    sqlite.pragma("wal_checkpoint(TRUNCATE)"); // closing does it too, but keeps to itself that the disk was full
  } finally {
    sqlite.close();
  }
  renameSync(draft, path);
  syncFolder(dirname(path));
}

function prepare(path: string, isNew: boolean): Database {
  const sqlite = new Sqlite(path, { fileMustExist: path !== ":memory:", timeout: 5_000 });
  try {
    if (isNew) {
      requireEngine(String(sqlite.prepare("SELECT sqlite_version()").pluck().get()));
      sqlite.pragma(`page_size = ${pageSize}`);
    } else requireOurs(sqlite, path);
    for (const [name, value] of pragmas) set(sqlite, name, value);
    if (!isNew && schemaOf(sqlite) < newestSchema) copyBeforeMigration(sqlite, path);
    migrate(sqlite, path);
    return sqlite;
  } catch (thrown) {
    sqlite.close();
    throw thrown;
  }
}

function set(sqlite: Database, name: string, value: number | string): void {
  sqlite.pragma(`${name} = ${value}`);
  const actual = sqlite.pragma(name, { simple: true });
  const wanted = sqlite.memory && inMemory.has(name) ? inMemory.get(name) : value;
  if (actual === wanted) return;
  throw new AppError(
    "disk-error",
    `${sqlite.name} cannot be written safely: ${name} is ${actual} instead of ${wanted}. Move the data folder to a local disk.`,
  );
}
