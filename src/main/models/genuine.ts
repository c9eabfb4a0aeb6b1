import { open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Pin } from "./pins.ts";
import { createRunningHash } from "./running-hash.ts";

export interface CheckOptions {
  readonly signal: AbortSignal;
  /** Bytes read. */
  readonly onProgress?: ((done: number) => void) | undefined;
}

/** What a file must be. */
export type Identity = Pick<Pin, "bytes" | "sha256">;

/** Beside a model: the hash it had, and the size and time of change it had then. */
const memoryOf = (path: string): string => `${path}.verified`;

/** What is at `path`: nothing, the very file, or something else. A file is hashed when it is first seen, or has changed. */
export async function inspect(
  path: string,
  identity: Identity,
  options: CheckOptions,
): Promise<"missing" | "genuine" | "other"> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return "missing";
  if (!found.isFile() || found.size !== identity.bytes) return "other";
  const mark = markOf(identity, found);
  if ((await readFile(memoryOf(path), "utf8").catch(() => "")) === mark) return "genuine";
  if ((await sha256Of(path, options)) !== identity.sha256) return "other";
  await vouch(path, identity);
  return "genuine";
}

/** Remembers that a file has this hash. It only saves reading: a folder that cannot be written (a shared cache) is as good. */
export async function vouch(path: string, identity: Identity): Promise<void> {
  await writeFile(memoryOf(path), markOf(identity, await stat(path))).catch(() => undefined);
}

const markOf = ({ sha256 }: Identity, { size, mtimeMs }: { size: number; mtimeMs: number }): string =>
  `${sha256} ${size} ${mtimeMs}`;

/** Gives a genuine file its name, for good. What was there under that name and is something else is set aside, not lost. */
export async function place(file: string, target: string, identity: Identity, options: CheckOptions): Promise<void> {
  const there = await inspect(target, identity, options);
  if (there === "genuine") return; // another process was faster
  if (there === "other") await rename(target, `${target}.set-aside`);
  await settle(file, target);
}

/** Renames a file that is whole, durably. */
export async function settle(file: string, target: string): Promise<void> {
  await makeDurable(file, "r+");
  await rename(file, target);
  await rename(memoryOf(file), memoryOf(target)).catch(() => undefined); // then the next start reads it once more
  if (process.platform !== "win32") await makeDurable(dirname(target), "r"); // Windows does that by itself
}

/** Removes a model's file with what is remembered of it. */
export async function removeFile(path: string): Promise<void> {
  for (const one of [path, memoryOf(path)]) await rm(one, { force: true });
}

async function makeDurable(path: string, flags: string): Promise<void> {
  const handle = await open(path, flags);
  await handle.sync().finally(() => handle.close());
}

/** SHA-256 of a file in hex, read as a stream. */
async function sha256Of(path: string, { signal, onProgress }: CheckOptions): Promise<string> {
  const hash = createRunningHash(path);
  await hash.catchUp(signal, onProgress);
  return hash.digest(signal);
}
