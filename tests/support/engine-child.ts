import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import type { EngineReply, EngineRequest, Loaded, LoadOptions, ModelCard } from "../../src/main/engine/protocol.ts";
import type { FinishReason, ModelEvent, ModelRequest, PromptMessage } from "../../src/shared/inference.ts";
import type { Usage } from "../../src/shared/message.ts";

const entry = fileURLToPath(new URL("../../src/main/engine/child/main.ts", import.meta.url));

type Body = EngineRequest extends infer R ? (R extends EngineRequest ? Omit<R, "id"> : never) : never;

/** One thread is never slow, however busy the computer is; more can be a hundred times slower when it is. */
export const knownCard: ModelCard = {
  key: "",
  name: "",
  architecture: "",
  parameters: 0,
  trainedWindow: 0,
  wrapper: "auto",
  threads: 1,
  toolLevel: "named",
  tokensPerSecond: 0,
};

export interface Answer {
  readonly events: readonly ModelEvent[];
  readonly text: string;
  readonly reasoning: string;
  /** Calls as the events told them; `ended` when their end has come. */
  readonly calls: readonly {
    readonly name: string;
    readonly input: string;
    readonly ended: boolean;
    readonly raw: unknown;
  }[];
  readonly usage: Usage | undefined;
  readonly finish: FinishReason | undefined;
}

/** Speaks the engine's protocol with a real child, and with nothing between. */
export class EngineChild {
  readonly process: ChildProcess;
  /** What it wrote to its outputs: nothing, if all is well. */
  output = "";
  readonly hello: Promise<Extract<EngineReply, { type: "hello" }>>;
  readonly exit: Promise<number | NodeJS.Signals | null>;
  private nextId = 1;
  private readonly listeners = new Map<number, (reply: EngineReply) => void>();

  constructor() {
    this.process = fork(entry, [], {
      serialization: "advanced",
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: { ...process.env, UV_THREADPOOL_SIZE: "1" },
    });
    for (const stream of [this.process.stdout, this.process.stderr])
      stream?.on("data", (text) => {
        this.output += text;
      });
    this.exit = new Promise((resolve) => this.process.once("exit", (code, signal) => resolve(code ?? signal)));
    this.hello = new Promise((resolve) => {
      this.process.on("message", (reply: EngineReply) => {
        if (reply.type === "hello") resolve(reply);
        else this.listeners.get(reply.id)?.(reply);
      });
    });
  }

  /** Sends a request; `watch` sees each of its replies, the last one is returned. Rejects when the child dies. */
  send(
    body: Body,
    watch: (reply: EngineReply, id: number) => void = () => undefined,
  ): { id: number; reply: Promise<EngineReply> } {
    const id = this.nextId++;
    const last = new Promise<EngineReply>((resolve) => {
      this.listeners.set(id, (reply) => {
        watch(reply, id);
        if (reply.type === "done" || reply.type === "error" || reply.type === "pong") resolve(reply);
      });
    });
    this.process.send({ ...body, id });
    const died = this.exit.then((reason) => Promise.reject(new Error(`The child ended: ${reason}`)));
    return { id, reply: Promise.race([last, died]) };
  }

  /** The value of a request that must succeed. */
  async ask<T>(body: Body): Promise<T> {
    const reply = await this.send(body).reply;
    if (reply.type !== "done") throw new Error(JSON.stringify(reply));
    return reply.value as T;
  }

  /** Loads a model that is known already: nothing is measured. */
  load(options: Partial<LoadOptions> & { path: string }): Promise<Loaded> {
    return this.loadFirst({ card: knownCard, ...options });
  }

  /** Loads a model as if for the first time, unless a card is given. */
  loadFirst(options: Partial<LoadOptions> & { path: string }): Promise<Loaded> {
    return this.ask({ type: "load", options: { contextTokens: 2048, ...options } });
  }

  /** The error of a request that must fail. */
  async refusal(body: Body): Promise<{ code: string; message: string }> {
    const reply = await this.send(body).reply;
    if (reply.type !== "error") throw new Error(JSON.stringify(reply));
    return reply.error;
  }

  /** One answer; it is stopped when `stopAt` says so of an event. */
  async chat(request: ModelRequest, stopAt: (event: ModelEvent) => boolean = () => false): Promise<Answer> {
    const events: ModelEvent[] = [];
    const { reply } = this.send({ type: "chat", request }, (one, id) => {
      if (one.type !== "events") return;
      events.push(...one.events);
      if (one.events.some(stopAt)) this.abort(id);
    });
    const last = await reply;
    if (last.type !== "done") throw new Error(JSON.stringify(last));
    return summarise(events);
  }

  abort(id: number): void {
    this.process.send({ type: "abort", id } satisfies EngineRequest);
  }

  async stop(): Promise<void> {
    this.process.kill("SIGKILL");
    await this.exit;
  }
}

/** A request with nothing in it but what the test is about. */
export const aRequest = (request: Partial<ModelRequest>): ModelRequest => ({
  sessionId: "session",
  turnId: "t",
  messages: [],
  tools: [],
  toolChoice: "auto",
  maxOutputTokens: 48,
  sampling: { temperature: 0 },
  ...request,
});

export const says = (role: PromptMessage["role"], text: string): PromptMessage => ({
  role,
  parts: [{ type: "text", text }],
});

/** A request with one message of the user. */
export const asks = (text: string, more: Partial<ModelRequest> = {}): ModelRequest =>
  aRequest({ messages: [says("user", text)], ...more });

function summarise(events: readonly ModelEvent[]): Answer {
  const textOf = (type: "text" | "reasoning") =>
    events.map((event) => (event.type === type ? event.text : "")).join("");
  const calls = events.flatMap((event) => {
    if (event.type !== "call-start") return [];
    const own = events.filter((other) => "index" in other && other.index === event.index);
    const end = own.find((other) => other.type === "call-end");
    const input = own.map((other) => (other.type === "call-arguments" ? other.text : "")).join("");
    return [{ name: event.name, input, ended: end !== undefined, raw: end?.raw }];
  });
  return {
    events,
    text: textOf("text"),
    reasoning: textOf("reasoning"),
    calls,
    usage: events.find((event) => event.type === "usage")?.usage,
    finish: events.find((event) => event.type === "finish")?.reason,
  };
}

/** A child for all tests of a file; it ends with them. */
export function sharedChild(): EngineChild {
  const child = new EngineChild();
  afterAll(() => child.stop());
  return child;
}
