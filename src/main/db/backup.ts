import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../shared/errors.ts";
import { listBackups, type NumberedBackup, nameFor, surplus } from "./backup-names.ts";
import { checkOnly, type Problem } from "./check.ts";
import type { Connection } from "./connection.ts";
import { giveName } from "./files.ts";
import { inspect } from "./inspect.ts";
import { toStoreError } from "./store-errors.ts";

export interface BackUpOptions {
  readonly file: string;
  readonly folder: string;
  readonly kind: "daily" | "by-hand";
  /** Epoch milliseconds. */
  readonly now: number;
  /** Bytes that must be free beside the backup: a disk is not filled to the brim, what is said next needs room too. */
  readonly spareBytes?: number;
}

/** What a copy must be free of to be worth anything. Search can be made anew. */
const mattersIn: readonly Problem["code"][] = ["structure", "reference", "message"];

const SPARE_BYTES = 50e6;

/**
 * Makes a backup beside whoever uses the database, and looks at it before it counts. Then removes what the sound ones
 * make superfluous. Throws disk-full and data-damaged: in each case the older backups are all there.
 */
export function backUp({ file, folder, kind, now, spareBytes = SPARE_BYTES }: BackUpOptions): {
  name: string;
  removed: string[];
} {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    removeParts(folder);
    requireRoom(file, folder, spareBytes);
    const name = nameFor(kind, listBackups(folder), now);
    const part = join(folder, "backup.part");
    try {
      copyTo(file, part);
      requireSound(part, file);
      giveName(part, join(folder, name));
    } finally {
      rmSync(part, { force: true });
    }
    return { name, removed: prune(folder) };
  } catch (thrown) {
    throw toStoreError(folder, thrown);
  }
}

/** What was being made when the app was ended holds what people said. */
function removeParts(folder: string): void {
  for (const name of readdirSync(folder)) if (name.endsWith(".part")) rmSync(join(folder, name), { force: true });
}

/** A whole copy as of this moment, for its owner only; it is not yet known to be sound, nor to be on the disk. */
export function copyTo(file: string, part: string): void {
  rmSync(part, { force: true });
  closeSync(openSync(part, "wx", 0o600));
  inspect(file, (connection) => connection.statement("VACUUM INTO ?").run(part));
}

/** The newest backup in which everything is what was written, older schema or not. Undefined: there is none. */
export function newestSound(folder: string): { name: string; path: string } | undefined {
  const sound = listBackups(folder).find(({ name }) => isSound(join(folder, name)));
  return sound && { name: sound.name, path: join(folder, sound.name) };
}

/** Nothing is removed for a backup that turns out to be damaged, nor is that one: it may hold what no other has. */
function prune(folder: string): string[] {
  const sound: NumberedBackup[] = listBackups(folder).filter(({ name }) => isSound(join(folder, name)));
  const names = surplus(sound).map(({ name }) => name);
  for (const name of names) rmSync(join(folder, name), { force: true });
  return names;
}

function isSound(path: string): boolean {
  try {
    return inspect(path, problemsOf).length === 0;
  } catch {
    return false; // it does not even open
  }
}

const problemsOf = (connection: Connection): Problem[] =>
  checkOnly(connection, mattersIn).filter(({ code }) => mattersIn.includes(code));

function requireSound(part: string, file: string): void {
  const [problem] = inspect(part, problemsOf);
  if (!problem) return;
  throw new AppError("data-damaged", `${file} is damaged, so no backup was made of it: ${problem.text}`);
}

function requireRoom(file: string, folder: string, spareBytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const needed = statSync(file).size + spareBytes;
  if (free >= needed) return;
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;
  throw new AppError(
    "disk-full",
    `There is no room for a backup: it needs ${megabytes(needed)}, and ${megabytes(free)} are free. The older ones are kept.`,
  );
}
