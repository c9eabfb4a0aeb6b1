import { closeSync, fsyncSync, mkdirSync, openSync, statSync, unlinkSync, writeSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { AppError } from "../../shared/errors.ts";
import { storeError, toStoreError } from "./store-errors.ts";

/** SQLite takes no longer path; this leaves room for the names of the files inside. */
const MAX_BYTES = 480;
/** A folder without this much room has none. */
const PROBE_BYTES = 64 * 1024;

/**
 * Makes the data folder, for its owner only, if it is not there, and proves that it can be written to.
 * Returns its absolute path. Throws data-folder, data-read-only or disk-full.
 */
export function openDataFolder(path: string): string {
  if (path.includes("\0")) throw unusable(path, "a path cannot hold a NUL character");
  const folder = resolve(path);
  if (Buffer.byteLength(folder) > MAX_BYTES) throw unusable(folder, `its path is longer than ${MAX_BYTES} bytes`);
  try {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) throw unusable(folder, "it is a file");
    makeFolder(folder);
    probe(join(folder, ".probe"));
  } catch (thrown) {
    throw toStoreError(folder, thrown);
  }
  return folder;
}

/** One by one: asked for all at once, Node calls a disk that may only be read a missing folder. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (thrown) {
    if (!isFolder(folder)) throw thrown; // else another Lares made it in the same moment
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function probe(file: string): void {
  const descriptor = openSync(file, "w", 0o600);
  try {
    const written = writeSync(descriptor, Buffer.alloc(PROBE_BYTES));
    if (written < PROBE_BYTES) throw storeError("disk-full", file);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
    remove(file);
  }
}

/** `rm` would tell of a disk that refuses without the system's code; another Lares that starts now may have been first. */
function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT")) throw thrown;
  }
}

const unusable = (folder: string, why: string) =>
  new AppError("data-folder", `${JSON.stringify(folder)} cannot be the data folder: ${why}. Choose another folder.`);
