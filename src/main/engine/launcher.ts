import { setTimeout as wait } from "node:timers/promises";
import { AppError, toAppError } from "../../shared/errors.ts";
import { monotonicMs } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Progress } from "../lib/progress.ts";
import { describeEnding, isFaultOfModel } from "./endings.ts";
import { type Ending, EngineProcess } from "./engine-process.ts";
import { engineEntry } from "./entry.ts";
import { type EngineLimits, engineLimits } from "./limits.ts";
import type { ModelFile } from "./model-file.ts";
import { type EngineMemory, ModelRecords } from "./model-records.ts";
import type { Loaded, LoadOptions } from "./protocol.ts";
import { LoadedReply, understood } from "./replies.ts";
import { Restarts } from "./restarts.ts";

export interface LauncherOptions {
  /** Remembers model cards and crashes beyond this process. */
  readonly memory: EngineMemory;
  readonly log: Log;
  readonly limits?: Partial<EngineLimits>;
  /** The file to fork, where it is not Lares's own. */
  readonly entry?: string;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** A child and the model it holds. */
export interface Running {
  readonly process: EngineProcess;
  readonly options: LoadOptions;
  readonly file: ModelFile;
  readonly loaded: Loaded;
}

/** Starts children, one model each, and learns from how they end: whether and when the same file is tried again. */
export class Launcher {
  readonly #options: LauncherOptions;
  readonly #limits: EngineLimits;
  readonly #records: ModelRecords;
  readonly #restarts: Restarts;
  #newest: EngineProcess | undefined;

  constructor(options: LauncherOptions) {
    this.#options = options;
    this.#limits = { ...engineLimits, ...options.limits };
    this.#records = new ModelRecords(options.memory, this.#limits.holdAfter, options.log);
    this.#restarts = new Restarts(this.#limits, options.now ?? monotonicMs);
  }

  /** The child started last, dead or alive. */
  get newest(): EngineProcess | undefined {
    return this.#newest;
  }

  /** Ends the child there is, and starts one for this model. Throws AppError, when the model is held back or pauses without a try. */
  async launch(
    options: LoadOptions,
    file: ModelFile,
    signal: AbortSignal,
    onProgress: Progress | undefined,
  ): Promise<Running> {
    const refusal = this.#refusal(file);
    if (refusal) throw refusal;
    await this.#newest?.end();
    await this.#backOff(file, signal);
    const process = this.#fork(file);
    const giveUp = () => void process.end(); // half a model is of no use, so there is nothing to be polite about
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      await process.ready;
      return { process, options, file, loaded: await this.#load(process, options, file, signal, onProgress) };
    } catch (thrown) {
      await process.end();
      throw thrown;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  /** The model gave a good answer. */
  succeeded(file: ModelFile): void {
    this.#restarts.succeeded(file.path);
    this.#records.succeeded(file);
  }

  /** Lets a file be tried again that is held back or pauses. */
  release(path: string): void {
    this.#records.release(path);
    this.#restarts.forget(path);
  }

  #refusal(file: ModelFile): AppError | undefined {
    return this.#records.refusal(file) ?? this.#restarts.refusal(file.path);
  }

  async #backOff({ path }: ModelFile, signal: AbortSignal): Promise<void> {
    const ms = this.#restarts.delay(path);
    if (ms > 0) await wait(ms, undefined, { signal }).catch(() => undefined); // a stop is seen below
    if (signal.aborted) throw new AppError("aborted", "Stopped.");
  }

  #fork(file: ModelFile): EngineProcess {
    const { log, entry = engineEntry() } = this.#options;
    const onEnd = (ending: Ending) => this.#explain(ending, file);
    try {
      this.#newest = new EngineProcess({ entry, limits: this.#limits, log, onEnd });
      return this.#newest;
    } catch (thrown) {
      throw new AppError(
        "engine-unavailable",
        `The local engine does not start: ${toAppError(thrown).message}`,
        thrown,
      );
    }
  }

  async #load(
    process: EngineProcess,
    options: LoadOptions,
    file: ModelFile,
    signal: AbortSignal,
    onProgress: Progress | undefined,
  ): Promise<Loaded> {
    const known = this.#records.card(file);
    const asked = { ...options, ...(known && { card: known }) };
    const answer = await process.request({ type: "load", options: asked }, signal, (part) => {
      if (part.type === "progress") onProgress?.(part.done, part.total);
    });
    const loaded = understood(LoadedReply.safeParse(answer).data);
    // A level that the person chose was not found in the file, and must not outlive the choice.
    const toolLevel = options.toolLevel === undefined ? loaded.card.toolLevel : known?.toolLevel;
    if (toolLevel) this.#records.learn(file, { ...loaded.card, toolLevel });
    return loaded;
  }

  /** Remembers how a child ended, and says it to whoever waited for an answer. */
  #explain(ending: Ending, file: ModelFile): AppError {
    const { code, signal, killedFor, during } = ending;
    const fields = { code: code ?? undefined, signal: signal ?? undefined, killedFor, during };
    if (killedFor === "request") {
      this.#options.log.info("engine.ended", fields);
      return new AppError("aborted", "The local model was stopped.");
    }
    this.#options.log.warn("engine.crashed", fields);
    const how = describeEnding(ending, this.#limits);
    this.#restarts.crashed(file.path, how);
    if (isFaultOfModel(ending)) this.#records.crashed(file, how);
    const next = this.#refusal(file)?.message ?? "It is started again with your next message.";
    if (during === "start")
      return new AppError("engine-unavailable", `The local engine did not start (${how}). ${next}`);
    return new AppError(
      killedFor === "stall" ? "timeout" : "engine-crashed",
      `The local model stopped (${how}). ${next}`,
    );
  }
}
