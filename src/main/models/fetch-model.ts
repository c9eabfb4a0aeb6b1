import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError, type ErrorCode, toAppError } from "../../shared/errors.ts";
import type { Door } from "../net/errand.ts";
import { diskError } from "../net/setback.ts";
import type { ModelEntry } from "./catalogue.ts";
import { modelCacheFolder } from "./folders.ts";
import { inspect, place, vouch } from "./genuine.ts";
import { createHub, type Hub } from "./hub.ts";
import { bytesLeft, claimPartFolder } from "./part-folder.ts";
import { type Pin, pinsOf } from "./pins.ts";
import { createReporter, type FetchProgress } from "./progress.ts";
import { bring, describeSource, type Job, type Source } from "./sources.ts";
import { type FreeBytes, requireSpace } from "./space.ts";

export interface FetchModelOptions {
  readonly modelsFolder: string;
  /** The way out: the person has asked for this download. */
  readonly door: Door;
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: FetchProgress) => void) | undefined;
  /** HF_ENDPOINT, LARES_MODEL_CACHE, PATH, proxies. Default: this process's own. */
  readonly environment?: NodeJS.ProcessEnv;
  readonly freeBytes?: FreeBytes | undefined;
}

/**
 * Makes sure that the entry's files are in the models folder and are the right ones, and returns the path of the first: as
 * they are when they are there, else from the shared cache, else from the entry's sources in order. A file gets its name only
 * when it is whole, durable and has the right hash. Several processes may do this at once; a stopped one leaves its part for
 * the next. Throws AppError: aborted, or one with the reasons of all sources (disk-full, hash-mismatch, offline, download-failed).
 */
export async function fetchModel(entry: ModelEntry, options: FetchModelOptions): Promise<string> {
  const { modelsFolder, door, signal, environment = process.env } = options;
  const target = join(modelsFolder, entry.file);
  const reporter = createReporter((progress) => options.onProgress?.(progress));
  try {
    await mkdir(modelsFolder, { recursive: true });
    const hub = createHub({ door, environment });
    const pins = await pinsOf(entry, modelsFolder, hub, signal);
    await requireRoom(pins, options);
    const total = sum(pins);
    for (const [at, pin] of pins.entries()) {
      const before = sum(pins.slice(0, at));
      const report: Report = (phase) => (done) => reporter.report({ phase, done: before + done, total });
      await fetchPin(pin, { entry, hub, environment, report, options });
    }
    return target;
  } catch (thrown) {
    if (signal.aborted)
      throw new AppError("aborted", `Fetching ${entry.name} was stopped. What came so far is kept.`, thrown);
    throw diskError(thrown, target) ?? toAppError(thrown);
  } finally {
    reporter.stop();
  }
}

const sum = (pins: readonly Pin[]): number => pins.reduce((bytes, pin) => bytes + pin.bytes, 0);

/** Of a split model: half of it on a full disk helps nobody. What a single file takes, its source asks for. */
async function requireRoom(pins: readonly Pin[], { modelsFolder, freeBytes }: FetchModelOptions): Promise<void> {
  if (pins.length === 1) return;
  const missing = pins.filter(({ file }) => !existsSync(join(modelsFolder, file)));
  const left = await Promise.all(missing.map(({ file }) => bytesLeft(join(modelsFolder, file))));
  await requireSpace(modelsFolder, sum(missing) - left.reduce((bytes, one) => bytes + one, 0), freeBytes);
}

type Report = (phase: FetchProgress["phase"]) => (done: number) => void;

interface Order {
  readonly entry: ModelEntry;
  readonly hub: Hub;
  readonly environment: NodeJS.ProcessEnv;
  readonly report: Report;
  readonly options: FetchModelOptions;
}

/** One file of a model: nothing, where it is there already. */
async function fetchPin(pin: Pin, order: Order): Promise<void> {
  const { signal, modelsFolder } = order.options;
  const target = join(modelsFolder, pin.file);
  if ((await inspect(target, pin, { signal, onProgress: order.report("verify") })) === "genuine") return;
  const part = await claimPartFolder(target);
  const failures: Failure[] = [];
  for (const source of [...copies(target, pin, order.environment), ...pin.sources]) {
    const error = await fetchFrom(source, target, jobOf(pin, part.path, order)).then(
      () => undefined,
      (thrown: unknown) => diskError(thrown, target) ?? toAppError(thrown),
    );
    if (error === undefined) return part.finish();
    if (signal.aborted) break;
    failures.push({ source, error });
    if (error.code === "disk-full") break; // wherever it comes from
  }
  await part.release();
  signal.throwIfAborted();
  throw nothingWorked(order.entry, pin, modelsFolder, failures);
}

function jobOf(pin: Pin, folder: string, { hub, environment, report, options }: Order): Job {
  const { door, signal, freeBytes } = options;
  return {
    ...{ pin, folder, hub, door, environment, signal, freeBytes },
    onProgress: report("download"),
    onCheck: report("verify"),
  };
}

/** One source to the end: its file is checked, and placed or thrown away. */
async function fetchFrom(source: Source, target: string, job: Job): Promise<void> {
  const { pin, signal, onCheck } = job;
  const arrival = await bring(source, job);
  const { path, resumed } = arrival;
  const check = { signal, onProgress: onCheck };
  if (arrival.sha256 === pin.sha256) await vouch(path, pin);
  if ((await inspect(path, pin, check)) === "genuine") return place(path, target, pin, check);
  await rm(path, { force: true });
  if (resumed) return fetchFrom(source, target, job); // perhaps only the old half was bad
  throw new AppError("hash-mismatch", "The file that came is not the right one (its size or SHA-256 differs).");
}

function copies(target: string, { file }: Pin, environment: NodeJS.ProcessEnv): Source[] {
  const path = join(modelCacheFolder(environment), file);
  return path !== target && existsSync(path) ? [{ kind: "copy", path }] : [];
}

interface Failure {
  readonly source: Source;
  readonly error: AppError;
}

/** These say more than that no source worked, whichever source said them. */
const telling: readonly ErrorCode[] = ["local-mode", "disk-full", "disk-error", "hash-mismatch"];

function nothingWorked(entry: ModelEntry, pin: Pin, modelsFolder: string, failures: readonly Failure[]): AppError {
  const codes = failures.map(({ error }) => error.code);
  const offline = codes.length > 0 && codes.every((code) => code === "offline");
  const code = telling.find((one) => codes.includes(one)) ?? (offline ? "offline" : "download-failed");
  const lines = failures.map(({ source, error }) => `- ${describeSource(source)}: ${error.message}`);
  const message = [
    `${entry.name} could not be fetched. What was tried:`,
    ...lines,
    `Try again, or put ${pin.file} into ${modelsFolder} yourself.`,
  ];
  return new AppError(code, message.join("\n"), failures.at(-1)?.error);
}
