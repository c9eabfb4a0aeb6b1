import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { newId } from "../lib/clock.ts";

/** Puts `text` in place of the file `path`: after a crash either all of the old one is there or all of the new one. Throws the disk's error. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const part = join(dirname(path), `.${basename(path).slice(0, 100)}.${newId()}`);
  try {
    await withFile(await open(part, "wx", 0o600), async (file) => {
      await file.writeFile(text);
      await file.sync();
    });
    await rename(part, path);
  } catch (thrown) {
    await rm(part, { force: true });
    throw thrown;
  }
  if (process.platform === "win32") return; // it has no way to sync a folder
  await withFile(await open(dirname(path), "r"), (folder) => folder.sync());
}

async function withFile(file: FileHandle, work: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await work(file);
  } finally {
    await file.close();
  }
}
