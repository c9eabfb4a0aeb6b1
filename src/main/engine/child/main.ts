import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { AppError, toAppError, toWire } from "../../../shared/errors.ts";
import { holdLifeline } from "../lifeline.ts";
import type { EngineReply, EngineRequest, Loaded, LoadOptions } from "../protocol.ts";
import { createEventBatch } from "./event-batch.ts";
import { silenceConsole } from "./library-log.ts";
import type { Engine, LoadNews } from "./load.ts";
import { readFacts } from "./model-facts.ts";
import { createRequestQueue } from "./request-queue.ts";

type Handlers = { [T in EngineRequest["type"]]: (request: Extract<EngineRequest, { type: T }>) => void };

/** How long letting go of a model may take before the process just ends. */
const disposeMs = 3_000;

const queue = createRequestQueue();
let engine: Engine | undefined;

holdLifeline();
silenceConsole();
// A terminal sends these to everything that runs in it; the parent decides what ends.
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
// With it, an abort would start a debugger where one is installed.
process.env.GGML_NO_BACKTRACE = "1";
let reading: Promise<typeof import("./native.ts")> | undefined;
/** Reads the library, which takes longer than everything else here: a child that only looks at a file is spared it. */
function native(): Promise<typeof import("./native.ts")> {
  reading ??= import("./native.ts").catch((cause) => {
    throw new AppError("engine-unavailable", "The engine for local models is incomplete. Install Lares again.", cause);
  });
  return reading;
}

const handlers: Handlers = {
  ping: ({ id }) => send({ type: "pong", id, memoryBytes: process.memoryUsage.rss() }),
  abort: ({ id }) => queue.abort(id),
  load: ({ id, options }) =>
    queue.add(
      id,
      (signal) =>
        settle(id, () =>
          load(options, signal, {
            progress: (done, total) => send({ type: "progress", id, done, total }),
            begun: (device, trainedWindow) => send({ type: "begun", id, device, trainedWindow }),
          }),
        ),
      () => send({ type: "error", id, error: toWire(new AppError("aborted", "Loading was stopped.")) }),
    ),
  chat: ({ id, request, state }) =>
    queue.add(
      id,
      (signal) =>
        settle(id, async () => {
          const { answer } = await native();
          const batch = createEventBatch((events) => send({ type: "events", id, events }));
          return answer(loaded(), request, batch.push, signal, state).finally(batch.flush);
        }),
      () => {
        send({ type: "events", id, events: [{ type: "finish", reason: "aborted" }] });
        send({ type: "done", id, value: undefined });
      },
    ),
  save: ({ id, path, mostBytes }) =>
    queue.add(
      id,
      (signal) => settle(id, async () => (await native()).saveState(loaded(), path, mostBytes, signal)),
      () => send({ type: "error", id, error: toWire(new AppError("aborted", "Saving was stopped.")) }),
    ),
  count: ({ id, texts }) =>
    settle(id, async () => {
      if (!engine) await queue.idle();
      const { model } = loaded();
      return texts.map((text) => model.tokenize(text).length);
    }),
  inspect: ({ id, path }) => settle(id, async () => readFacts(path)),
  unload: ({ id }) => settle(id, unload, () => process.exit(0)),
};

async function load(options: LoadOptions, signal: AbortSignal, tell: LoadNews): Promise<Loaded> {
  const { loadEngine } = await native();
  const old = engine;
  engine = undefined;
  await old?.model.dispose();
  engine = await loadEngine(options, tell, signal);
  return { ...engine.loaded, memoryBytes: process.memoryUsage.rss() };
}

function loaded(): Engine {
  if (!engine) throw new AppError("model-missing", "No model is loaded. Choose or download a model.");
  return engine;
}

async function unload(): Promise<void> {
  queue.abortAll();
  const dispose = async () => {
    await queue.idle();
    await engine?.model.dispose();
  };
  await Promise.race([dispose(), new Promise((resolve) => setTimeout(resolve, disposeMs))]);
}

/** Answers a request with what the task returns or throws. `sent` is called when the answer is on its way. */
async function settle(id: number, task: () => Promise<unknown>, sent?: () => void): Promise<void> {
  const reply = await task().then(
    (value): EngineReply => ({ type: "done", id, value }),
    (thrown): EngineReply => ({ type: "error", id, error: toWire(toAppError(thrown)) }),
  );
  send(reply, sent);
}

function send(reply: EngineReply, sent: () => void = () => undefined): void {
  process.send?.(reply, undefined, undefined, sent);
}

function libraryVersion(): string {
  const file = findPackageJSON("node-llama-cpp", import.meta.url);
  return file ? String(JSON.parse(readFileSync(file, "utf8")).version) : "none";
}

// The table says which request each handler takes; the compiler cannot follow that through the look-up.
process.on("message", (request: EngineRequest) => handlers[request.type](request as never));
// Nobody is left to answer. Leaving in the orderly way could wait for a decode.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
send({ type: "hello", pid: process.pid, library: libraryVersion() });
