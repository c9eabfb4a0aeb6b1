import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError, type ErrorCode, toAppError } from "../../shared/errors.ts";
import { diskError } from "../net/setback.ts";
import type { ModelEntry } from "./catalogue.ts";
import { modelCacheFolder } from "./folders.ts";
import { inspect, place } from "./genuine.ts";
import { claimPartFolder } from "./part-folder.ts";
import { bring, describeSource, type Job, type Source } from "./sources.ts";

/** What is happening to a model file, in bytes, about four times a second. */
export interface FetchProgress {
  readonly phase: "download" | "verify";
  readonly done: number;
  readonly total: number;
}

export interface FetchModelOptions {
  readonly modelsFolder: string;
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: FetchProgress) => void) | undefined;
  /** HF_ENDPOINT, LARES_MODEL_CACHE, PATH, proxies. Default: this process's own. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Free bytes of a folder's disk. */
  readonly freeBytes?: ((folder: string) => Promise<number>) | undefined;
}

/**
 * Makes sure that the entry's file is in the models folder and is the right one, and returns its path: as it is when it is
 * there, else from the shared cache, else from the entry's sources in order. The file gets its name only when it is whole,
 * durable and has the right hash. Several processes may do this at once; a stopped one leaves its part for the next.
 * Throws AppError: aborted, or one with the reasons of all sources (disk-full, hash-mismatch, offline, download-failed).
 */
export async function fetchModel(entry: ModelEntry, options: FetchModelOptions): Promise<string> {
  const target = join(options.modelsFolder, entry.file);
  try {
    await mkdir(options.modelsFolder, { recursive: true });
    const check = { signal: options.signal, onProgress: reporter("verify", entry, options) };
    if ((await inspect(target, entry, check)) !== "genuine") await fetchInto(target, entry, options);
    return target;
  } catch (thrown) {
    if (options.signal.aborted)
      throw new AppError("aborted", `Fetching ${entry.name} was stopped. What came so far is kept.`, thrown);
    throw diskError(thrown, target) ?? toAppError(thrown);
  }
}

async function fetchInto(target: string, entry: ModelEntry, options: FetchModelOptions): Promise<void> {
  const { signal, environment = process.env, freeBytes } = options;
  const part = await claimPartFolder(target);
  const onProgress = reporter("download", entry, options);
  const job: Job = { entry, folder: part.path, environment, signal, freeBytes, onProgress };
  const failures: Failure[] = [];
  for (const source of [...copies(target, entry, environment), ...entry.sources]) {
    const error = await fetchFrom(source, target, job, reporter("verify", entry, options)).then(
      () => undefined,
      (thrown: unknown) => diskError(thrown, target) ?? toAppError(thrown),
    );
    if (error === undefined) return part.finish();
    if (signal.aborted) break;
    failures.push({ source, error });
  }
  await part.release();
  signal.throwIfAborted();
  throw nothingWorked(entry, options.modelsFolder, failures);
}

/** One source to the end: its file is checked, and placed or thrown away. */
async function fetchFrom(source: Source, target: string, job: Job, onCheck: (done: number) => void): Promise<void> {
  const { path, resumed } = await bring(source, job);
  const check = { signal: job.signal, onProgress: onCheck };
  if ((await inspect(path, job.entry, check)) === "genuine") return place(path, target, job.entry, check);
  await rm(path, { force: true });
  if (resumed) return fetchFrom(source, target, job, onCheck); // perhaps only the old half was bad
  throw new AppError("hash-mismatch", "The file that came is not the right one (its size or SHA-256 differs).");
}

function copies(target: string, entry: ModelEntry, environment: NodeJS.ProcessEnv): Source[] {
  const path = join(modelCacheFolder(environment), entry.file);
  return path !== target && existsSync(path) ? [{ kind: "copy", path }] : [];
}

interface Failure {
  readonly source: Source;
  readonly error: AppError;
}

/** These say more than that no source worked, whichever source said them. */
const telling: readonly ErrorCode[] = ["disk-full", "disk-error", "hash-mismatch"];

function nothingWorked(entry: ModelEntry, modelsFolder: string, failures: readonly Failure[]): AppError {
  const codes = failures.map(({ error }) => error.code);
  const offline = codes.length > 0 && codes.every((code) => code === "offline");
  const code = telling.find((one) => codes.includes(one)) ?? (offline ? "offline" : "download-failed");
  const lines = failures.map(({ source, error }) => `- ${describeSource(source)}: ${error.message}`);
  const message = [
    `${entry.name} could not be fetched. What was tried:`,
    ...lines,
    `Try again, or put ${entry.file} into ${modelsFolder} yourself.`,
  ];
  return new AppError(code, message.join("\n"), failures.at(-1)?.error);
}

/** Tells the end, and what is before it at most four times a second. */
function reporter(phase: FetchProgress["phase"], { bytes }: ModelEntry, { onProgress }: FetchModelOptions) {
  let told = 0;
  return (done: number) => {
    if (done < bytes && Date.now() - told < 250) return;
    told = Date.now();
    onProgress?.({ phase, done, total: bytes });
  };
}
