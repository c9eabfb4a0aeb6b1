import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { patiently, replaceFileSync, syncFolder } from "../lib/atomic-write.ts";

/** In its folder: what was brought over from a damaged database, once that is done. */
const RESULT = "rescued.json";

const damagedFolder = (file: string): string => join(dirname(file), "damaged");

/** The mark of who found a database that opens to be damaged: the next start is to set it aside. */
const mark = (file: string): string => join(dirname(file), "rescue-wanted");

export const isRescueWanted = (file: string): boolean => existsSync(file) && existsSync(mark(file));

/** Where the new database is made, until what was brought over is noted and it gets its name. */
export const rescuedDraft = (file: string): string => `${file}.rescued`;

/**
 * Moves a database that does not read, with its log and its index, into a folder of its own. Nothing is deleted and
 * nothing is overwritten. The database goes first: a log that is left behind is known as damage by the next start, a
 * database without its log would look whole and be older. Returns the path it has now.
 */
export async function setAside(file: string, now: Date = new Date()): Promise<string> {
  const folder = freeFolder(join(damagedFolder(file), now.toISOString().replace(/[:.]/g, "-")));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await moveInto(folder, file);
  return join(folder, basename(file));
}

async function moveInto(folder: string, file: string): Promise<void> {
  for (const path of [file, ...["-wal", "-shm", "-journal"].map((suffix) => file + suffix), mark(file)]) {
    const moved = join(folder, basename(path));
    if (existsSync(path) && !existsSync(moved)) await patiently(() => renameSync(path, moved));
  }
  for (const changed of [folder, dirname(folder), dirname(file)]) syncFolder(changed);
}

function freeFolder(wanted: string): string {
  for (let number = 1; ; number++) {
    const folder = number === 1 ? wanted : `${wanted}-${number}`;
    if (!existsSync(folder)) return folder;
  }
}

/**
 * The rows of a database that was set aside are in the draft, as far as they could be read: notes it, and gives the
 * draft its name. The note comes first, so that no loss is without one.
 */
export async function finishRescue(damaged: string, file: string, result: object): Promise<void> {
  replaceFileSync(join(dirname(damaged), RESULT), JSON.stringify(result));
  await publishDraft(file);
}

async function publishDraft(file: string): Promise<void> {
  await patiently(() => renameSync(rescuedDraft(file), file));
  syncFolder(dirname(file));
}

/**
 * Goes on where the app died while it replaced a damaged database. Returns one that was set aside, all of it, and whose
 * rows nobody has brought over. Only looked for where there is no database, which would else be taken for a new computer.
 */
export async function unfinishedRescue(file: string): Promise<string | undefined> {
  if (existsSync(file)) return undefined;
  const [newest] = foldersOf(file)
    .filter((folder) => !existsSync(join(folder, RESULT)))
    .reverse();
  if (newest !== undefined) {
    await moveInto(newest, file);
    return join(newest, basename(file));
  }
  if (existsSync(rescuedDraft(file))) await publishDraft(file);
  return undefined;
}

/** What was brought over from each database that was set aside, oldest first: the text of each note. */
export function rescueNotes(file: string): string[] {
  return foldersOf(file)
    .map((folder) => join(folder, RESULT))
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, "utf8"));
}

/** Oldest first. */
function foldersOf(file: string): string[] {
  const parent = damagedFolder(file);
  if (!statSync(parent, { throwIfNoEntry: false })?.isDirectory()) return [];
  const folders = readdirSync(parent, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => join(parent, name)).sort();
}
