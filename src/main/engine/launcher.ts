import { setTimeout as wait } from "node:timers/promises";
import { AppError, toAppError } from "../../shared/errors.ts";
import { monotonicMs } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Progress } from "../lib/progress.ts";
import { describeEnding, isFaultOfModel } from "./endings.ts";
import { type Ending, EngineProcess, type Part } from "./engine-process.ts";
import { engineEntry } from "./entry.ts";
import { freeMemory } from "./free-memory.ts";
import { inspectFile } from "./inspect.ts";
import {
  type LadderStep,
  nextRung,
  onRung,
  type Rung,
  rungsOf,
  type Setback,
  saferOptions,
  stepsOf,
} from "./ladder.ts";
import { type EngineLimits, engineLimits } from "./limits.ts";
import type { ModelFile } from "./model-file.ts";
import { type EngineMemory, ModelRecords, type Ran } from "./model-records.ts";
import type { Loaded, LoadOptions } from "./protocol.ts";
import { type FileFacts, LoadedReply, understood } from "./replies.ts";
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
  /** Bytes of memory that programs could have now. */
  readonly freeMemory?: () => number;
  /** Called every few seconds while a child lives, and when one has ended. */
  readonly onPong?: () => void;
  readonly onEnd?: () => void;
}

/** A child and the model it holds. */
export interface Running {
  readonly process: EngineProcess;
  /** As they were wanted. */
  readonly options: LoadOptions;
  readonly file: ModelFile;
  readonly loaded: Loaded;
  /** What had to be given up. */
  readonly steps: readonly LadderStep[];
}

/** One try to load a model, and what is known of it while it goes on. */
interface Attempt {
  readonly file: ModelFile;
  readonly wanted: LoadOptions;
  readonly rung: Rung;
  /** What it is loaded onto; absent until the child has said so. */
  device?: string;
  trainedWindow?: number;
  crashedOnGpu?: boolean;
}

/** A window that was made smaller is tried whole again when so many times more memory is free. */
const worthAnotherTry = 1.25;

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

  /**
   * Ends the child there is, and starts one for this model: as it is wanted, or with less where this computer cannot do
   * it (ladder.ts). Throws AppError, when the model is held back or pauses without a try.
   */
  async launch(
    options: LoadOptions,
    file: ModelFile,
    signal: AbortSignal,
    onProgress: Progress | undefined,
  ): Promise<Running> {
    const refusal = this.refusal(file);
    if (refusal) throw refusal;
    await this.#newest?.end();
    await this.#backOff(file, signal);
    const wanted = this.#records.isSafer(file) ? saferOptions(options) : options;
    const before = this.#ranBefore(file, wanted);
    let hasGpu = before?.hasGpu ?? false;
    let rung: Rung | undefined = before?.rung ?? rungsOf(wanted)[0];
    for (;;) {
      if (!rung) throw new AppError("internal", "A model can be run in no way at all.");
      const attempt: Attempt = { file, wanted, rung };
      try {
        const { process, loaded } = await this.#try(attempt, signal, onProgress);
        this.#learnRung(attempt, hasGpu);
        return { process, options, file, loaded, steps: stepsOf(options, loaded, hasGpu) };
      } catch (thrown) {
        const onGpu = rung.gpuShare > 0 && attempt.device !== "CPU";
        const setback = setbackOf(attempt, thrown);
        hasGpu ||= onGpu;
        rung = setback && nextRung(rungsOf(wanted, attempt.trainedWindow), rung, setback, onGpu);
        if (signal.aborted || !rung) throw thrown;
        this.#options.log.warn("engine.stepped-down", { setback, ...rung });
      }
    }
  }

  /** The model gave a good answer. */
  succeeded(file: ModelFile): void {
    this.#restarts.succeeded(file.path);
    this.#records.succeeded(file);
  }

  /** Lets a file be tried again that is held back or pauses; `safer`: with what is least likely to crash it. */
  release(path: string, safer?: boolean): void {
    this.#records.release(path, safer);
    this.#restarts.forget(path);
  }

  /** Why a file is held back or pauses. */
  refusal(file: ModelFile): AppError | undefined {
    return this.#records.refusal(file) ?? this.#restarts.refusal(file.path);
  }

  /** What the file says of itself, read by a child of its own unless it was read before. */
  async inspect(file: ModelFile, signal: AbortSignal): Promise<FileFacts> {
    const known = this.#records.facts(file);
    if (known) return known;
    const { log, entry = engineEntry() } = this.#options;
    const facts = await inspectFile(file.path, signal, { entry, limits: this.#limits, log });
    this.#records.learnFacts(file, facts);
    return facts;
  }

  #ranBefore(file: ModelFile, wanted: LoadOptions): Ran | undefined {
    const ran = this.#records.ran(file);
    if (ran?.wanted !== nameOf(wanted)) return undefined;
    const isSmaller = ran.rung.contextTokens < wanted.contextTokens;
    return isSmaller && this.#free() > worthAnotherTry * ran.free ? undefined : ran;
  }

  #learnRung({ file, wanted, rung }: Attempt, hasGpu: boolean): void {
    const [first] = rungsOf(wanted);
    const isAsWanted = rung.gpuShare === first?.gpuShare && rung.contextTokens === first.contextTokens;
    this.#records.learnRan(file, isAsWanted ? undefined : { wanted: nameOf(wanted), rung, hasGpu, free: this.#free() });
  }

  #free(): number {
    return (this.#options.freeMemory ?? freeMemory)();
  }

  async #try(attempt: Attempt, signal: AbortSignal, onProgress: Progress | undefined) {
    const process = this.#fork(attempt);
    const giveUp = () => void process.end(); // half a model is of no use, so there is nothing to be polite about
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      await process.ready;
      return { process, loaded: await this.#load(process, attempt, signal, onProgress) };
    } catch (thrown) {
      await process.end();
      throw thrown;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  async #backOff({ path }: ModelFile, signal: AbortSignal): Promise<void> {
    const ms = this.#restarts.delay(path);
    if (ms > 0) await wait(ms, undefined, { signal }).catch(() => undefined); // a stop is seen below
    if (signal.aborted) throw new AppError("aborted", "Stopped.");
  }

  #fork(attempt: Attempt): EngineProcess {
    const { log, entry = engineEntry(), onPong } = this.#options;
    const onEnd = (ending: Ending) => {
      queueMicrotask(() => this.#options.onEnd?.()); // by then it counts as dead
      return this.#explain(ending, attempt);
    };
    try {
      this.#newest = new EngineProcess({ entry, limits: this.#limits, log, onEnd, ...(onPong && { onPong }) });
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
    attempt: Attempt,
    signal: AbortSignal,
    onProgress: Progress | undefined,
  ): Promise<Loaded> {
    const { file, wanted, rung } = attempt;
    const known = this.#records.card(file);
    const options = { ...onRung(wanted, rung), ...(known && { card: known }) };
    const answer = await process.request({ type: "load", options }, signal, (part: Part) => {
      if (part.type === "progress") onProgress?.(part.done, part.total);
      if (part.type === "begun") Object.assign(attempt, { device: part.device, trainedWindow: part.trainedWindow });
    });
    const loaded = understood(LoadedReply.safeParse(answer).data);
    // A level that the person chose was not found in the file, and must not outlive the choice.
    const toolLevel = wanted.toolLevel === undefined ? loaded.card.toolLevel : known?.toolLevel;
    if (toolLevel) this.#records.learn(file, { ...loaded.card, toolLevel });
    return loaded;
  }

  /** Remembers how a child ended, and says it to whoever waited for an answer. */
  #explain(ending: Ending, attempt: Attempt): AppError {
    const { file } = attempt;
    const { code, signal, killedFor, during } = ending;
    const fields = { code: code ?? undefined, signal: signal ?? undefined, killedFor, during };
    if (killedFor === "request") {
      this.#options.log.info("engine.ended", fields);
      return new AppError("aborted", "The local model was stopped.");
    }
    this.#options.log.warn("engine.crashed", fields);
    const how = describeEnding(ending, this.#limits);
    if (isFaultOfModel(ending) && usesGpu(attempt)) this.#blameGpu(attempt);
    else {
      this.#restarts.crashed(file.path, how);
      if (isFaultOfModel(ending)) this.#records.crashed(file, how);
    }
    const next = this.refusal(file)?.message ?? "It is started again with your next message.";
    if (during === "start")
      return new AppError("engine-unavailable", `The local engine did not start (${how}). ${next}`);
    return new AppError(
      killedFor === "stall" ? "timeout" : "engine-crashed",
      `The local model stopped (${how}). ${next}`,
    );
  }

  /** A driver that crashes is not the fault of the file: the next start is on the processor, and so are all after it. */
  #blameGpu(attempt: Attempt): void {
    attempt.crashedOnGpu = true;
    const rung = rungsOf(attempt.wanted).find(({ gpuShare }) => gpuShare === 0);
    if (rung) this.#learnRung({ ...attempt, rung }, true);
  }
}

/** Whether the child had a graphics card in use, or died before it could say that it had none. */
const usesGpu = ({ wanted, rung, device }: Attempt): boolean =>
  wanted.run?.gpu === "auto" && rung.gpuShare > 0 && device !== "CPU";

function setbackOf({ crashedOnGpu }: Attempt, thrown: unknown): Setback | undefined {
  if (crashedOnGpu) return "gpu-crash";
  return toAppError(thrown).code === "out-of-memory" ? "memory" : undefined;
}

/** The part of what is wanted that decides on the rung. */
const nameOf = ({ contextTokens, run }: LoadOptions): string => JSON.stringify([contextTokens, run]);
