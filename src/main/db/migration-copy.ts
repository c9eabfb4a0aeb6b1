import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import Sqlite, { type Database } from "better-sqlite3";
import { AppError, toAppError } from "../../shared/errors.ts";
import { giveName } from "./files.ts";
import { newestSchema, schemaOf } from "./migrations.ts";
import { storeError, toStoreError } from "./store-errors.ts";

/** Where the copies of a database are kept. */
export const backupsFolder = (file: string): string => join(dirname(file), "backups");

/** The beginning of the names of these copies. */
const beforeMigration = "before-migration-";

/**
 * Before a file is brought to a newer schema: a copy of it in the folder `backups` beside it, that was read through and
 * is on the disk. A file in which nobody has said anything needs none. Throws the reason, and then the file may not be
 * changed.
 */
export function copyBeforeMigration(sqlite: Database, path: string): void {
  if (sqlite.prepare("SELECT 1 FROM inbound LIMIT 1").get() === undefined) return;
  const folder = backupsFolder(path);
  const name = `${beforeMigration}${newestSchema}-${new Date().toISOString().replaceAll(/[:.]/g, "-")}.db`;
  const part = join(folder, `.${name}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const left of readdirSync(folder)) if (left.startsWith(`.${beforeMigration}`)) rmSync(join(folder, left));
    closeSync(openSync(part, "wx", 0o600));
    sqlite.prepare("VACUUM INTO ?").run(part);
    verify(part, sqlite);
    giveName(part, join(folder, name));
  } catch (thrown) {
    if (existsSync(part)) rmSync(part);
    throw refused(path, part, thrown);
  }
}

/** It reads from end to end, and holds as much as the original. */
function verify(copy: string, original: Database): void {
  const sqlite = new Sqlite(copy, { readonly: true });
  try {
    const isWhole = sqlite.pragma("integrity_check(1)", { simple: true }) === "ok";
    if (!isWhole || measure(sqlite) !== measure(original)) throw storeError("disk-error", copy);
  } finally {
    sqlite.close();
  }
}

const measure = (sqlite: Database): string =>
  `${schemaOf(sqlite)} ${sqlite.prepare("SELECT (SELECT count(*) FROM message) || ' ' || (SELECT count(*) FROM inbound)").pluck().get()}`;

function refused(path: string, copy: string, thrown: unknown): unknown {
  const { code, message } = toAppError(toStoreError(copy, thrown));
  if (code === "data-damaged") return storeError(code, path, thrown); // the original is: reading it through has shown it
  return new AppError(
    code === "disk-full" || code === "disk-error" ? code : "data-read-only",
    `${path} is of an older Lares, and no copy of it could be made before it is changed. It can be read meanwhile. ${message}`,
    thrown,
  );
}
