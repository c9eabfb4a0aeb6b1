import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { monotonicMs, newId } from "./clock.ts";

/** A virus scanner or an indexer holds a new file for a moment; after so long it is something else. */
const PATIENCE_MS = 5_000;
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 500;

const hasFolderSync = process.platform !== "win32";

/**
 * Puts `text` in place of the file `path`: after a crash either all of the old one is there or all of the new one.
 * A file that another program holds is waited for. Throws the disk's error, and then the old file is as it was.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const part = partOf(path);
  try {
    await withFile(await open(part, "wx", 0o600), async (file) => {
      await file.writeFile(text);
      await file.sync();
    });
    await patiently(() => rename(part, path));
  } catch (thrown) {
    await rm(part, { force: true });
    throw thrown;
  }
  if (hasFolderSync) await withFile(await open(dirname(path), "r"), (folder) => folder.sync());
}

/** The same for one who cannot wait: what another program holds is refused at once. */
export function replaceFileSync(path: string, text: string): void {
  const part = partOf(path);
  try {
    writeFileSync(part, text, { flag: "wx", mode: 0o600, flush: true });
    renameSync(part, path);
  } catch (thrown) {
    rmSync(part, { force: true });
    throw thrown;
  }
  syncFolder(dirname(path));
}

/** Does it again, with longer and longer pauses, while another program holds a file of it. Throws what it threw last. */
export async function patiently<T>(
  work: () => Promise<T> | T,
  sleepFor: (ms: number) => Promise<unknown> = sleep,
): Promise<T> {
  const deadline = monotonicMs() + PATIENCE_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (thrown) {
      if (!isHeld(thrown) || monotonicMs() + pause > deadline) throw thrown;
      await sleepFor(pause);
    }
  }
}

/** A new name is on the disk when it returns. */
export function syncFolder(folder: string): void {
  if (!hasFolderSync) return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

const partOf = (path: string): string => join(dirname(path), `.${basename(path).slice(0, 100)}.${newId()}`);

const isHeld = (thrown: unknown): boolean =>
  thrown instanceof Error && "code" in thrown && (thrown.code === "EBUSY" || thrown.code === "EPERM");

async function withFile(file: FileHandle, work: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await work(file);
  } finally {
    await file.close();
  }
}
