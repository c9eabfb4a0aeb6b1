import { totalmem } from "node:os";
import { AppError } from "../../shared/errors.ts";
import type { ModelEvent, ModelRequest } from "../../shared/inference.ts";
import type { Usage } from "../../shared/message.ts";
import type { EngineState } from "../../shared/views.ts";
import type { Log } from "../lib/log.ts";
import type { Progress } from "../lib/progress.ts";
import { type Speeds, speedsAfter, stateOf, Teller } from "./engine-state.ts";
import { freeMemory } from "./free-memory.ts";
import { Launcher, type LauncherOptions, type Running } from "./launcher.ts";
import { Line } from "./line.ts";
import { type ModelFile, readModelFile } from "./model-file.ts";
import type { Loaded, LoadOptions } from "./protocol.ts";
import { pump } from "./pump.ts";
import { ChatReply, CountReply, type FileFacts, understood } from "./replies.ts";
import { StateStore, type StateStoreOptions } from "./state-store.ts";

export interface EngineOptions extends Omit<LauncherOptions, "onPong" | "onEnd"> {
  /** Minutes without use after which the child is ended; asked anew after each use. 0: never. Default 10. */
  readonly idleMinutes?: () => number;
  /** Told when what the engine holds has changed, at most once a second. */
  readonly onState?: (state: EngineState) => void;
  /** Of this computer, in bytes. */
  readonly totalMemory?: number;
  /** Where what the model has read of a chat is kept, so that a return to it is fast. Absent: nowhere. */
  readonly states?: Omit<StateStoreOptions, "log">;
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
  /**
   * Lets a file be loaded again that was held back or pauses. `safer`: on the processor, with a small window, until it
   * gives a good answer; false: as it is wanted again; absent: as before.
   */
  release(path: string, options?: { readonly safer?: boolean }): void;
  /** Why a file is held back or pauses, for a person. */
  held(path: string): Promise<string | undefined>;
  /** What a file says of itself. What is loaded is not disturbed. Throws AppError (model-missing, model-invalid, model-unsupported). */
  inspect(path: string, signal?: AbortSignal): Promise<FileFacts>;
  /** What is held, and how it runs. */
  state(): EngineState;
  /** Of the graphics card, once a model was loaded that could have used one. Bytes. */
  readonly gpuMemory: Loaded["gpuMemory"];
  /** Removes what was kept of a chat that was deleted for good. Throws the disk's error. */
  forgetChat(chatId: string): Promise<void>;
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

/** Below these the memory is short: a part of all there is, and bytes. */
const shortPart = 0.05;
const shortBytes = 300 << 20;
const tellEveryMs = 1_000;

class Keeper implements Engine {
  readonly #idleMinutes: () => number;
  readonly #launcher: Launcher;
  readonly #log: Log;
  readonly #freeMemory: () => number;
  readonly #states: StateStore | undefined;
  readonly #shortOfMemory: number;
  readonly #teller: Teller;
  readonly #line = new Line();
  readonly #looking = new Line();
  readonly #closing = new AbortController();
  #running: Running | undefined;
  #lastModel: LoadOptions | undefined;
  #idle: NodeJS.Timeout | undefined;
  #speeds: Speeds = {};
  #told = "";
  #gpuMemory: Loaded["gpuMemory"];

  constructor({ idleMinutes = () => 10, onState, totalMemory = totalmem(), ...options }: EngineOptions) {
    this.#idleMinutes = idleMinutes;
    this.#log = options.log;
    if (options.states) this.#states = new StateStore({ ...options.states, log: options.log });
    this.#freeMemory = options.freeMemory ?? freeMemory;
    this.#shortOfMemory = Math.max(shortPart * totalMemory, shortBytes);
    this.#teller = new Teller(() => this.#tell(onState), tellEveryMs);
    this.#launcher = new Launcher({ ...options, onPong: () => this.#look(), onEnd: () => this.#teller.news() });
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
    if (path === undefined || path === this.#lastModel?.path) await this.#end();
  }

  release(path: string, { safer }: { readonly safer?: boolean } = {}): void {
    this.#launcher.release(path, safer);
  }

  async held(path: string): Promise<string | undefined> {
    const file = await readModelFile(path).catch(() => undefined); // a file that is gone is not held back
    return file && this.#launcher.refusal(file)?.message;
  }

  async inspect(path: string, signal = new AbortController().signal): Promise<FileFacts> {
    const file = await readModelFile(path);
    const both = AbortSignal.any([signal, this.#closing.signal]);
    const leave = await this.#looking.enter(both);
    return this.#launcher.inspect(file, both).finally(leave);
  }

  async forgetChat(chatId: string): Promise<void> {
    await this.#states?.forget(chatId);
  }

  state(): EngineState {
    return stateOf(this.#running, this.#speeds);
  }

  get gpuMemory(): Loaded["gpuMemory"] {
    return this.#gpuMemory;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#idle);
    this.#teller.end();
    await this.#end();
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
        const running = await this.#ready(model, both, (done, total) =>
          emit({ type: "progress", phase: "loading", done, total }),
        );
        const state = await this.#states?.enter(running, request.sessionId);
        let usage: Usage | undefined;
        const asked = { type: "chat", request, ...(state && { state }) } as const;
        const outcome = await running.process.request(asked, both, (part) => {
          for (const event of part.type === "events" && !isFinished ? part.events : []) {
            isFinished ||= event.type === "finish";
            if (event.type === "usage") usage = this.#noted(event.usage);
            emit(event);
          }
        });
        this.#states?.leave(running, request.sessionId, usage, ChatReply.safeParse(outcome).data);
        if (!isFinished) throw new AppError("provider-failed", "The local model broke off its answer. Send it again.");
        this.#launcher.succeeded(running.file);
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
      JSON.stringify(running.options.run) === JSON.stringify(options.run) &&
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
    if (this.#running?.options.path !== options.path) this.#speeds = {};
    await this.#states?.flush();
    this.#running = await this.#launcher.launch(options, file, signal, onProgress);
    this.#gpuMemory = this.#running.loaded.gpuMemory ?? this.#gpuMemory;
    this.#teller.news();
    return this.#running;
  }

  #tell(onState: EngineOptions["onState"]): void {
    const state = this.state();
    const text = JSON.stringify(state);
    if (text === this.#told) return;
    this.#told = text;
    onState?.(state);
  }

  #noted(usage: Usage): Usage {
    this.#speeds = speedsAfter(this.#speeds, usage);
    this.#teller.news();
    return usage;
  }

  /** Ends the child, with what it has read of the last chat saved, if that takes no longer than a moment. */
  async #end(): Promise<void> {
    await this.#states?.flush();
    await this.#launcher.newest?.end();
    await this.#states?.settled();
  }

  /** When the memory is short, a model that nobody is answered by has to go. */
  #look(): void {
    this.#teller.news();
    if (this.#line.isBusy || this.#launcher.newest?.isBusy || this.#freeMemory() >= this.#shortOfMemory) return;
    this.#log.info("engine.unloaded", { why: "memory is short" });
    void this.#launcher.newest?.end();
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
