import { constants, createReadStream, createWriteStream, existsSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError } from "../../shared/errors.ts";
import { diskError } from "../net/setback.ts";
import { settle } from "./genuine.ts";
import { claimPartFolder } from "./part-folder.ts";
import { createReporter, type FetchProgress } from "./progress.ts";
import { type FreeBytes, requireSpace } from "./space.ts";
import type { WholeModel } from "./whole-model.ts";

export interface CopyOptions {
  readonly modelsFolder: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: FetchProgress) => void;
  readonly freeBytes?: FreeBytes | undefined;
}

/**
 * Copies a model with all its parts into the models folder; where the disk can, the copy takes no room until one of both
 * changes. The original is only read. A copy gets its name when it is whole and durable. Throws AppError (aborted, disk-full, …).
 */
export async function copyModel(model: WholeModel, options: CopyOptions): Promise<void> {
  const { modelsFolder, signal, onProgress } = options;
  const reporter = createReporter(onProgress);
  try {
    await mkdir(modelsFolder, { recursive: true });
    let before = 0;
    for (const part of model.parts) {
      const told = (done: number) => reporter.report({ phase: "download", done: before + done, total: model.bytes });
      await copyPart(part, options, told);
      before += part.bytes;
    }
  } catch (thrown) {
    if (signal.aborted) throw new AppError("aborted", `Copying ${basename(model.path)} was stopped.`, thrown);
    throw diskError(thrown, modelsFolder) ?? thrown;
  } finally {
    reporter.stop();
  }
}

async function copyPart(
  { path, bytes }: WholeModel["parts"][number],
  { modelsFolder, signal, freeBytes }: CopyOptions,
  onProgress: (done: number) => void,
): Promise<void> {
  const target = join(modelsFolder, basename(path));
  const part = await claimPartFolder(target);
  const copy = join(part.path, "copy");
  try {
    if (!(await cloned(path, copy))) {
      await requireSpace(modelsFolder, bytes, freeBytes);
      await copied(path, copy, onProgress, signal);
    }
    signal.throwIfAborted();
    await settle(copy, target);
  } finally {
    await part.finish(); // a copy is never gone on with
  }
}

/** Nothing in the models folder may have one of the names. Throws bad-request. */
export function requireFreeNames(model: WholeModel, modelsFolder: string): void {
  const taken = model.parts.map(({ path }) => basename(path)).find((name) => existsSync(join(modelsFolder, name)));
  if (taken === undefined) return;
  throw new AppError(
    "bad-request",
    `There is a ${taken} in the models folder already. Remove that one first, or use the file where it is.`,
  );
}

/** A copy that shares the bytes on the disk, where the file system can. */
const cloned = (from: string, to: string): Promise<boolean> =>
  copyFile(from, to, constants.COPYFILE_FICLONE_FORCE).then(
    () => true,
    () => false,
  );

async function copied(
  from: string,
  to: string,
  onProgress: (done: number) => void,
  signal: AbortSignal,
): Promise<void> {
  let done = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      done += chunk.length;
      onProgress(done);
      next(null, chunk);
    },
  });
  const source = createReadStream(from, { highWaterMark: 1024 * 1024 });
  await pipeline(source, count, createWriteStream(to), { signal });
}
