import { AppError } from "../../shared/errors.ts";
import type { ModelEvent, ModelRequest } from "../../shared/inference.ts";
import type { Progress } from "../lib/progress.ts";
import { Launcher, type LauncherOptions, type Running } from "./launcher.ts";
import { Line } from "./line.ts";
import { type ModelFile, readModelFile } from "./model-file.ts";
import type { Loaded, LoadOptions } from "./protocol.ts";
import { pump } from "./pump.ts";
import { CountReply, understood } from "./replies.ts";

export interface EngineOptions extends LauncherOptions {
  /** Minutes without use after which the child is ended; asked anew after each use. 0: never. Default 10. */
  readonly idleMinutes?: () => number;
}

/** llama.cpp in a process of its own, holding at most one model. It starts by itself when it is needed. */
export interface Engine {
  /** Makes a model ready; at once when it is. Another model's child is ended first, after the request it works on. */
  load(options: LoadOptions, signal: AbortSignal, onProgress?: Progress): Promise<Loaded>;
  /** One answer of `model` (default: the last one used), which is loaded if need be. One at a time, in the order of asking. */
  chat(request: ModelRequest, signal: AbortSignal, model?: LoadOptions): AsyncIterable<ModelEvent>;
  /** Tokens of each text, by the tokenizer of `model` (default: the last one used). */
  count(texts: readonly string[], model?: LoadOptions): Promise<number[]>;
  /** Ends the child at once, and what it works on with `aborted`; only if it holds `path`, when one is given. The next use loads again. */
  unload(path?: string): Promise<void>;
  /** Lets a file be loaded again that was held back or pauses. */
  release(path: string): void;
  /** The child that holds a model now. */
  readonly pid: number | undefined;
  /** The last words the child wrote to its console: to be shown on request, never logged. */
  readonly lastWords: string;
  /** Ends the child, and what it works on with `aborted`, for good. */
  close(): Promise<void>;
}

/** An engine whose child does not run yet. */
export function createEngine(options: EngineOptions): Engine {
  return new Keeper(options);
}

class Keeper implements Engine {
  readonly #idleMinutes: () => number;
  readonly #launcher: Launcher;
  readonly #line = new Line();
  readonly #closing = new AbortController();
  #running: Running | undefined;
  #lastModel: LoadOptions | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor({ idleMinutes = () => 10, ...options }: EngineOptions) {
    this.#idleMinutes = idleMinutes;
    this.#launcher = new Launcher(options);
  }

  get pid(): number | undefined {
    return this.#running?.process.isAlive ? this.#running.process.pid : undefined;
  }

  get lastWords(): string {
    return this.#launcher.newest?.lastWords ?? "";
  }

  async load(options: LoadOptions, signal: AbortSignal, onProgress?: Progress): Promise<Loaded> {
    const file = await readModelFile(options.path);
    const ready =
      this.#loaded(options, file) ?? (await this.#inTurn(signal, (both) => this.#ready(options, both, onProgress)));
    return ready.loaded;
  }

  chat(request: ModelRequest, signal: AbortSignal, model = this.#lastModel): AsyncIterable<ModelEvent> {
    return pump<ModelEvent>((emit, both) => this.#answer(request, model, both, emit), signal);
  }

  async count(texts: readonly string[], model = this.#lastModel): Promise<number[]> {
    if (texts.length === 0) return [];
    const signal = new AbortController().signal;
    const ask = async ({ process }: Running) => {
      const counts = await process.request({ type: "count", texts }, signal, () => undefined);
      return understood(CountReply.length(texts.length).safeParse(counts).data);
    };
    const loaded = this.#loaded(model);
    if (loaded) return ask(loaded).finally(() => this.#rest());
    return this.#inTurn(signal, async (both) => ask(await this.#ready(model, both)));
  }

  async unload(path?: string): Promise<void> {
    if (path === undefined || path === this.#lastModel?.path) await this.#launcher.newest?.end();
  }

  release(path: string): void {
    this.#launcher.release(path);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#idle);
    await this.#launcher.newest?.end();
  }

  async #answer(
    request: ModelRequest,
    model: LoadOptions | undefined,
    signal: AbortSignal,
    emit: (event: ModelEvent) => void,
  ): Promise<void> {
    let isFinished = false;
    try {
      await this.#inTurn(signal, async (both) => {
        const { process, file } = await this.#ready(model, both, (done, total) =>
          emit({ type: "progress", phase: "loading", done, total }),
        );
        await process.request({ type: "chat", request }, both, (part) => {
          for (const event of part.type === "events" && !isFinished ? part.events : []) {
            isFinished ||= event.type === "finish";
            emit(event);
          }
        });
        if (!isFinished) throw new AppError("provider-failed", "The local model broke off its answer. Send it again.");
        this.#launcher.succeeded(file);
      });
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
      if (!isFinished) emit({ type: "finish", reason: "aborted" });
    }
  }

  /** Waits in line, does the work, lets the next one in. The work's signal also fires when the engine closes. */
  async #inTurn<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const both = AbortSignal.any([signal, this.#closing.signal]);
    const leave = await this.#line.enter(both);
    clearTimeout(this.#idle);
    try {
      return await work(both);
    } finally {
      leave();
      this.#rest();
    }
  }

  /** The child that holds this very model, if there is one. Without `file` the file is not looked at again. */
  #loaded(options: LoadOptions | undefined, file?: ModelFile): Running | undefined {
    const running = this.#running;
    const isSame =
      running?.process.isAlive &&
      options !== undefined &&
      running.options.path === options.path &&
      running.options.contextTokens === options.contextTokens &&
      running.options.toolLevel === options.toolLevel &&
      (file === undefined || (running.file.size === file.size && running.file.changed === file.changed));
    return isSame ? running : undefined;
  }

  /** Must be called in turn. A child serves one model: whatever else runs is ended first. */
  async #ready(options: LoadOptions | undefined, signal: AbortSignal, onProgress?: Progress): Promise<Running> {
    if (!options) throw new AppError("model-missing", "No local model was chosen. Choose one in the settings.");
    const file = await readModelFile(options.path);
    const loaded = this.#loaded(options, file);
    if (loaded) return loaded;
    this.#lastModel = options;
    this.#running = await this.#launcher.launch(options, file, signal, onProgress);
    return this.#running;
  }

  /** Starts to count idle time after a use. */
  #rest(): void {
    clearTimeout(this.#idle);
    const minutes = this.#idleMinutes();
    if (minutes <= 0 || this.#closing.signal.aborted) return;
    this.#idle = setTimeout(() => {
      if (!this.#line.isBusy && !this.#launcher.newest?.isBusy) void this.#launcher.newest?.end();
    }, minutes * 60_000);
    this.#idle.unref();
  }
}
