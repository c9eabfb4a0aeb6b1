import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { ModelEntry } from "./catalogue.ts";

export interface CheckOptions {
  readonly signal: AbortSignal;
  /** Bytes read. */
  readonly onProgress?: ((done: number) => void) | undefined;
}

/** Beside a model: the hash it had, and the size and time of change it had then. */
const memoryOf = (path: string): string => `${path}.verified`;

/** What is at `path`: nothing, the very file of the entry, or something else. A file is hashed when it is first seen, or has changed. */
export async function inspect(
  path: string,
  entry: ModelEntry,
  options: CheckOptions,
): Promise<"missing" | "genuine" | "other"> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return "missing";
  if (!found.isFile() || found.size !== entry.bytes) return "other";
  const mark = `${entry.sha256} ${found.size} ${found.mtimeMs}`;
  if ((await readFile(memoryOf(path), "utf8").catch(() => "")) === mark) return "genuine";
  if ((await sha256Of(path, options)) !== entry.sha256) return "other";
  // Only saves the next start some reading: a folder that cannot be written (a shared cache) is as good.
  await writeFile(memoryOf(path), mark).catch(() => undefined);
  return "genuine";
}

/** Gives a genuine file its name, for good. What was there under that name and is something else is set aside, not lost. */
export async function place(file: string, target: string, entry: ModelEntry, options: CheckOptions): Promise<void> {
  const there = await inspect(target, entry, options);
  if (there === "genuine") return; // another process was faster
  if (there === "other") await rename(target, `${target}.set-aside`);
  await makeDurable(file, "r+");
  await rename(file, target);
  await rename(memoryOf(file), memoryOf(target)).catch(() => undefined); // then the next start reads it once more
  if (process.platform !== "win32") await makeDurable(dirname(target), "r"); // Windows does that by itself
}

async function makeDurable(path: string, flags: string): Promise<void> {
  const handle = await open(path, flags);
  await handle.sync().finally(() => handle.close());
}

/** SHA-256 of a file in hex, read as a stream. */
async function sha256Of(path: string, { signal, onProgress }: CheckOptions): Promise<string> {
  const hash = createHash("sha256");
  let done = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024, signal })) {
    hash.update(chunk);
    done += chunk.length;
    onProgress?.(done);
  }
  return hash.digest("hex");
}
