import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Sqlite, { type Database } from "better-sqlite3";
import { AppError } from "../../shared/errors.ts";
import { type Connection, connect } from "./connection.ts";
import { migrate } from "./migrations.ts";
import { storeError, toStoreError } from "./store-errors.ts";

/** Below it SQLite has the WAL-reset bug, which damages databases. */
const oldestEngine = "3.51.3";

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

/**
 * Opens the database at `path`, making it if nothing is there; `:memory:` touches no disk.
 * A file that is empty, damaged, foreign or newer than this Lares is refused and left as it is.
 */
export function openDatabase(path: string): Connection {
  return guarded(path, () => {
    if (path !== ":memory:" && !isThere(path)) create(path);
    return connect(prepare(path, path === ":memory:"), path);
  });
}

/** Refuses a SQLite that is known to damage databases. */
export function requireEngine(version: string): void {
  if (version.localeCompare(oldestEngine, "en", { numeric: true }) >= 0) return;
  throw new AppError(
    "internal",
    `This build carries SQLite ${version}, which can damage databases. Install a build with ${oldestEngine} or newer.`,
  );
}

function isThere(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
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
  if (process.platform !== "win32") syncFolder(dirname(path));
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function prepare(path: string, isNew: boolean): Database {
  const sqlite = new Sqlite(path, { fileMustExist: path !== ":memory:", timeout: 5_000 });
  try {
    requireEngine(String(sqlite.prepare("SELECT sqlite_version()").pluck().get()));
    if (isNew) sqlite.pragma(`page_size = ${pageSize}`);
    else requireOurs(sqlite, path);
    for (const [name, value] of pragmas) set(sqlite, name, value);
    migrate(sqlite, path);
    return sqlite;
  } catch (thrown) {
    sqlite.close();
    throw thrown;
  }
}

/** A file under our name was made whole, with a version and a schema that reads. */
function requireOurs(sqlite: Database, path: string): void {
  const tables = sqlite.prepare("SELECT count(*) FROM sqlite_schema").pluck().get();
  const version = sqlite.pragma("user_version", { simple: true });
  if (tables === 0 || version === 0) throw storeError("data-damaged", path);
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

function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw toStoreError(path, thrown);
  }
}
