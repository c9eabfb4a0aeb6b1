import { closeSync, openSync, readSync, statSync } from "node:fs";
import Sqlite, { type Database } from "better-sqlite3";
import { AppError } from "../../shared/errors.ts";
import { hashOf, type MessageRow, messageColumns } from "./message-row.ts";
import { newerSchema, newestSchema, schemaOf } from "./migrations.ts";
import { storeError } from "./store-errors.ts";

/** Below it SQLite has the WAL-reset bug, which damages databases. */
const oldestEngine = "3.51.3";

/** A file up to this size is read through in a tenth of a second; what is larger is checked after the start. Bytes. */
const SMALL = 32e6;
/** How many of the newest messages are read back, whatever the size. */
const NEWEST = 50;

/** Tables that every schema has had. */
const ourTables = ["session", "inbound", "turn", "message", "setting"];

/** Refuses a SQLite that is known to damage databases. */
export function requireEngine(version: string): void {
  if (version.localeCompare(oldestEngine, "en", { numeric: true }) >= 0) return;
  throw new AppError(
    "internal",
    `This build carries SQLite ${version}, which can damage databases. Install a build with ${oldestEngine} or newer.`,
  );
}

/**
 * Looks at a file under our name before anything is written to it; one that is refused is left as it is, with the
 * journal beside it. Throws data-damaged for what is not whole or not ours, data-newer for a newer schema.
 */
export function examine(path: string): void {
  const journal = `${path}-wal`;
  const wasInUse = (statSync(journal, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (wasInUse && !isJournal(journal)) throw storeError("data-damaged", journal);
  // Closing a connection that may write would bring the journal into the file, whoever's it is.
  const sqlite = new Sqlite(path, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    requireEngine(String(sqlite.prepare("SELECT sqlite_version()").pluck().get()));
    requireOurs(sqlite, path);
    if (wasInUse && schemaOf(sqlite) === newestSchema) requireSound(sqlite, path);
  } finally {
    sqlite.close();
  }
}

/** A file under our name was made whole, with a version and our tables; what a newer Lares has is not known. */
export function requireOurs(sqlite: Database, path: string): void {
  const version = schemaOf(sqlite);
  if (version > newestSchema) throw newerSchema(path, version);
  const names = JSON.stringify(ourTables);
  const tables = sqlite.prepare("SELECT count(*) FROM sqlite_schema JOIN json_each(?) ON name = value").pluck();
  if (version === 0 || tables.get(names) !== ourTables.length) throw storeError("data-damaged", path);
}

/** What was written last reads back as it was written, and a small file is sound from end to end. */
export function requireSound(sqlite: Database, path: string): void {
  const newest = sqlite.prepare(`SELECT ${messageColumns}, message.hash FROM message ORDER BY id DESC LIMIT ${NEWEST}`);
  const rows = newest.all() as (MessageRow & { hash: Buffer })[];
  if (!rows.every((row) => hashOf(row).equals(row.hash))) throw storeError("data-damaged", path);
  const bytes = sqlite.prepare("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").pluck().get();
  if (Number(bytes) > SMALL) return;
  if (sqlite.pragma("quick_check(1)", { simple: true }) !== "ok") throw storeError("data-damaged", path);
}

/** One that a power cut left without its beginning holds nothing; one that begins otherwise is not SQLite's. */
function isJournal(path: string): boolean {
  const beginning = Buffer.alloc(4);
  const descriptor = openSync(path, "r");
  try {
    readSync(descriptor, beginning);
  } finally {
    closeSync(descriptor);
  }
  return beginning.readUInt32BE() === 0 || (beginning.readUInt32BE() & ~1) === 0x377f0682;
}
