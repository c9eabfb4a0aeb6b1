import { type ChildProcess, fork } from "node:child_process";
import { constants, setPriority } from "node:os";
import { AppError, fromWire } from "../../shared/errors.ts";
import type { Log } from "../lib/log.ts";
import { engineEnvironment } from "./environment.ts";
import type { EngineLimits } from "./limits.ts";
import type { EngineReply, EngineRequest } from "./protocol.ts";
import { readReply } from "./replies.ts";

type WithoutId<Request> = Request extends unknown ? Omit<Request, "id"> : never;
type Asked = WithoutId<Extract<EngineRequest, { type: "load" | "chat" | "count" | "inspect" | "save" }>>;
/** What a request is told before its answer. */
export type Part = Extract<EngineReply, { type: "begun" | "progress" | "events" }>;

/** Between the end of a child and the end of its pipe, whichever comes first. */
const farewellMs = 1_000;

/** How a child came to its end. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Set when Lares killed it: because it was asked to, or because the child or one request fell silent. */
  readonly killedFor?: "request" | "silence" | "stall";
  /** What it was doing. */
  readonly during: "start" | Asked["type"] | "nothing";
}

export interface ProcessOptions {
  readonly entry: string;
  readonly limits: EngineLimits;
  readonly log: Log;
  /** Called once, at the end: the error that whatever still waits is rejected with. */
  readonly onEnd: (ending: Ending) => AppError;
  /** Called every few seconds while it lives and is heard. */
  readonly onPong?: () => void;
}

interface Pending {
  readonly type: Asked["type"];
  readonly onPart: (part: Part) => void;
  readonly answer: PromiseWithResolvers<unknown>;
  /** Looks at the child since the last sign of progress. */
  quietLooks: number;
}

/**
 * One engine child, from its fork to its end: requests and their answers, a watch over its silence.
 * It holds the parent alive only while something is awaited, and never outlives it.
 */
export class EngineProcess {
  readonly #options: ProcessOptions;
  readonly #child: ChildProcess;
  readonly #hello = Promise.withResolvers<void>();
  readonly #end = Promise.withResolvers<void>();
  readonly #pending = new Map<number, Pending>();
  readonly #killAtExit = () => void this.#child.kill("SIGKILL");
  #watch: NodeJS.Timeout;
  #farewell: NodeJS.Timeout | undefined;
  #lastId = 0;
  #quietLooks = 0;
  #isReady = false;
  #killedFor: Ending["killedFor"];
  #failure: AppError | undefined;
  #console = "";
  #memoryBytes: number | undefined;

  constructor(options: ProcessOptions) {
    this.#options = options;
    this.#child = fork(options.entry, [], {
      serialization: "advanced",
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: engineEnvironment(process.env),
      execArgv: [],
    });
    this.#yieldToOthers();
    this.#listen();
    process.once("exit", this.#killAtExit);
    this.#watch = setTimeout(() => void this.end("silence"), options.limits.helloMs);
    this.#hello.promise.catch(() => undefined); // whoever awaits `ready` hears of it
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resolves when the child has said hello; rejects when it ends before that. */
  get ready(): Promise<void> {
    return this.#hello.promise;
  }

  /** Whether requests can be sent. */
  get isAlive(): boolean {
    return !this.#failure && !this.#killedFor;
  }

  /** Whether an answer is awaited. */
  get isBusy(): boolean {
    return this.#pending.size > 0;
  }

  /** Bytes of memory it takes, as it last said. */
  get memoryBytes(): number | undefined {
    return this.#memoryBytes;
  }

  /** The last words the child wrote to its console: for a person who looks for a fault, never for the log. */
  get lastWords(): string {
    return this.#console;
  }

  /**
   * Sends a request and gives its `done` value. An abort is passed on politely; a child that does not end the request
   * within `stopMs` is killed. Rejects with AppError.
   */
  async request(asked: Asked, signal: AbortSignal, onPart: (part: Part) => void): Promise<unknown> {
    if (this.#failure) throw this.#failure;
    if (signal.aborted) throw new AppError("aborted", "Stopped.");
    this.#lastId += 1;
    const id = this.#lastId;
    const pending: Pending = { type: asked.type, onPart, answer: Promise.withResolvers(), quietLooks: 0 };
    this.#pending.set(id, pending);
    this.#holdParent();
    let patience: NodeJS.Timeout | undefined;
    const stop = () => {
      this.#send({ type: "abort", id });
      // Writing cannot be interrupted, and whoever stops it only wants to be next.
      if (asked.type !== "save") patience = setTimeout(() => void this.end(), this.#options.limits.stopMs);
    };
    signal.addEventListener("abort", stop, { once: true });
    try {
      this.#send({ ...asked, id });
      return await pending.answer.promise;
    } finally {
      signal.removeEventListener("abort", stop);
      clearTimeout(patience);
      this.#pending.delete(id);
      this.#holdParent();
    }
  }

  /** Kills the child and waits until it is gone, so that its memory is surely returned. */
  end(killedFor: Ending["killedFor"] = "request"): Promise<void> {
    this.#killedFor ??= killedFor;
    this.#holdParent();
    this.#child.kill("SIGKILL");
    return this.#end.promise;
  }

  #listen(): void {
    const child = this.#child;
    child.on("message", (message) => this.#receive(message));
    child.on("error", (error: NodeJS.ErrnoException) => {
      this.#options.log.warn("engine.process-error", { code: error.code });
      if (child.pid === undefined) this.#finish(null, null); // it was never started, so there is no exit to come
    });
    child.on("disconnect", () => {
      this.#farewell = setTimeout(() => child.kill("SIGKILL"), farewellMs); // it can no longer be spoken to
    });
    child.on("exit", (code, signal) => {
      const finish = () => this.#finish(code, signal);
      if (!child.connected) return finish();
      child.once("disconnect", finish); // what it said before its end may still be in the pipe
      this.#farewell = setTimeout(finish, farewellMs);
    });
    for (const stream of [child.stdout, child.stderr]) {
      if (stream && "unref" in stream && typeof stream.unref === "function") stream.unref();
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#console = (this.#console + text).slice(-4096);
      });
    }
  }

  #receive(message: unknown): void {
    const reply = readReply(message);
    if (reply) this.#take(reply);
    else this.#options.log.warn("engine.reply-not-understood", { pid: this.pid });
  }

  #take(reply: EngineReply): void {
    this.#quietLooks = 0;
    if (reply.type === "hello") {
      this.#welcome(reply.library);
      return;
    }
    if (reply.type === "pong") {
      this.#memoryBytes = reply.memoryBytes;
      this.#options.onPong?.();
      return;
    }
    const pending = this.#pending.get(reply.id);
    if (!pending) return; // the late answer to a request that was given up
    pending.quietLooks = 0;
    if (reply.type === "done") pending.answer.resolve(reply.value);
    else if (reply.type === "error") pending.answer.reject(fromWire(reply.error));
    else pending.onPart(reply);
  }

  #welcome(library: string): void {
    if (this.#isReady) return;
    this.#isReady = true;
    clearTimeout(this.#watch);
    this.#watch = setInterval(() => this.#look(), this.#options.limits.pingMs);
    this.#watch.unref();
    this.#holdParent();
    this.#options.log.info("engine.started", { pid: this.pid, library });
    this.#hello.resolve();
  }

  /**
   * Silence is counted in looks, not read off a clock: a computer that slept for a night has looked once.
   * While a model loads, a child may be busy for long, and any sign of life will do.
   */
  #look(): void {
    const { pingMs, silenceMs, stallMs } = this.#options.limits;
    const pending = [...this.#pending.values()];
    const isLoading = pending.some(({ type }) => type === "load");
    const isStalled = !isLoading && pending.some(({ quietLooks }) => quietLooks * pingMs >= stallMs);
    if (isStalled) return void this.end("stall");
    if (this.#quietLooks * pingMs >= (isLoading ? stallMs : silenceMs)) return void this.end("silence");
    this.#quietLooks += 1;
    for (const one of pending) one.quietLooks += 1;
    this.#lastId += 1;
    this.#send({ type: "ping", id: this.#lastId });
  }

  #send(request: EngineRequest): void {
    this.#child.send(request, (error) => {
      if (error) this.#options.log.warn("engine.not-sent", { type: request.type, pid: this.pid }); // its end follows
    });
  }

  #finish(code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#failure) return;
    clearTimeout(this.#watch);
    clearTimeout(this.#farewell);
    process.off("exit", this.#killAtExit);
    const [first] = this.#pending.values();
    const during = this.#isReady ? (first?.type ?? "nothing") : "start";
    const killedFor = signal === "SIGKILL" ? this.#killedFor : undefined; // it may have died just before
    const failure = this.#options.onEnd({ code, signal, during, ...(killedFor && { killedFor }) });
    this.#failure = failure;
    this.#hello.reject(failure);
    for (const { answer } of this.#pending.values()) answer.reject(failure);
    this.#end.resolve();
  }

  /** A command line must be able to end while the model is only kept warm, and not before an answer is there. */
  #holdParent(): void {
    const isAwaited = !this.#isReady || this.isBusy || this.#killedFor !== undefined;
    const hold = isAwaited ? "ref" : "unref";
    this.#child[hold]();
    this.#child.channel?.[hold]();
  }

  /** Before it makes threads, so that they inherit it: the screen stays smooth while the model thinks. */
  #yieldToOthers(): void {
    if (this.pid === undefined) return;
    try {
      setPriority(this.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    } catch (thrown) {
      this.#options.log.warn("engine.priority-not-lowered", { reason: String(thrown) });
    }
  }
}
