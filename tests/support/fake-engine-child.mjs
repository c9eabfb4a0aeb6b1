// An engine child without a model. It speaks the protocol of src/main/engine/protocol.ts and plays what the "model" file says:
//   { "load": [step, …], "chat": [step, …], "count": [step, …] }   as JSON; load and chat may also be lists of lists:
// the first list is for the first time this file is used by any process (counted in FILE.uses), and so on; the last one stays.
// Steps: {"text"} {"progress": [done, total]} {"wait": ms} {"reply": anything} {"error": WireError} {"kill": signal} {"exit": code}
// {"hang": true} blocks the event loop for ever. {"stuck": true} never goes on, with a free event loop, and hears no abort.
// {"until-abort": true} goes on when it is stopped. {"tell": "environment" | "priority" | "options"}
// {"begin": device} says what it loads onto; {"as": facts of how it runs}, told when it is loaded; {"memory": bytes} for the pings.
// {"console": text, or "pid"} {"disconnect": true} {"end": true} answers without a finish.
import { readFileSync, writeFileSync } from "node:fs";
import { getPriority } from "node:os";
import { setTimeout as wait } from "node:timers/promises";

const send = (reply) => process.send?.(reply);
const never = () => new Promise(() => setInterval(() => undefined, 1000));
const stopped = new Map();
let options;
let talking = 0;
let ways = {};
let memoryBytes = 1_000_000;

const tell = {
  environment: () => JSON.stringify(process.env),
  priority: () => String(getPriority(process.pid)),
  options: () => JSON.stringify(options),
};

const say = (id, event) => send({ type: "events", id, events: [event] });

const steps = {
  text: (id, text) => say(id, { type: "text", text }),
  progress: (id, [done, total]) => send({ type: "progress", id, done, total }),
  wait: (_id, ms) => wait(ms),
  reply: (id, reply) => send(reply === null || typeof reply !== "object" ? reply : { id, ...reply }),
  kill: (_id, signal) => {
    process.kill(process.pid, signal);
    return never();
  },
  exit: (_id, code) => process.exit(code),
  hang: () => {
    for (;;);
  },
  stuck: never,
  "until-abort": (id) => new Promise((resolve) => stopped.set(id, resolve)),
  tell: (id, what) => say(id, { type: "text", text: tell[what]() }),
  console: (_id, text) => process.stderr.write(text === "pid" ? String(process.pid) : text),
  begin: (id, device) => send({ type: "begun", id, device, trainedWindow: 8192 }),
  as: (_id, facts) => {
    ways = facts;
  },
  memory: (_id, bytes) => {
    memoryBytes = bytes;
  },
  disconnect: () => {
    process.removeAllListeners("disconnect");
    process.disconnect();
    return never();
  },
};

async function play(id, list) {
  for (const step of list) {
    const [name, value] = Object.entries(step)[0];
    if (name === "error") {
      send({ type: "error", id, error: value });
      return false;
    }
    if (name === "end") return "unfinished";
    await steps[name](id, value);
    if (stopped.get(id) === "stopped") return "stopped";
  }
  return true;
}

/** The list for this use of the file. */
function script(part) {
  const all = JSON.parse(readFileSync(options.path, "utf8"))[part] ?? [];
  if (!Array.isArray(all[0])) return all;
  const uses = Number(readIfThere(`${options.path}.${part}`) ?? 0);
  writeFileSync(`${options.path}.${part}`, String(uses + 1));
  return all[Math.min(uses, all.length - 1)];
}

function readIfThere(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

const card = (path) => ({
  key: `key of ${path.split("/").at(-1)}`,
  name: "Fake",
  architecture: "fake",
  parameters: 135,
  trainedWindow: 8192,
  wrapper: "chatml",
  threads: 1,
  toolLevel: options.toolLevel ?? "named",
  tokensPerSecond: 50,
});

const loaded = ({ path, contextTokens, run }) => ({
  card: card(path),
  window: Math.min(contextTokens, 8192),
  device: "CPU",
  layers: 4,
  layersOnGpu: 0,
  threads: 1,
  cacheType: run?.cacheType ?? "f16",
  memoryBytes,
  stateKey: "fake",
  ...ways,
});

const handlers = {
  ping: ({ id }) => send({ type: "pong", id, memoryBytes }),
  async inspect({ id, path }) {
    options = { path };
    await play(id, script("inspect"));
  },
  async load({ id, options: given }) {
    options = given;
    if ((await play(id, script("load"))) !== true) return;
    send({ type: "done", id, value: loaded(given) });
  },
  async chat({ id, request }) {
    talking += 1;
    if (talking > 1) say(id, { type: "text", text: "INTERLEAVED" });
    const list = script("chat");
    const outcome = await play(id, list.length > 0 ? list : [{ text: `answer to ${request.sessionId}` }]);
    talking -= 1;
    if (!outcome) return;
    const reason = outcome === "stopped" || stopped.get(id) === "stopped" ? "aborted" : "stop";
    if (outcome !== "unfinished") say(id, { type: "finish", reason });
    send({ type: "done", id, value: undefined });
  },
  async count({ id, texts }) {
    if ((await play(id, script("count"))) !== true) return;
    send({ type: "done", id, value: texts.map((text) => text.length) });
  },
  abort({ id }) {
    const resume = stopped.get(id);
    stopped.set(id, "stopped");
    if (typeof resume === "function") resume();
  },
};

process.on("message", (request) => handlers[request.type](request));
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
if (!process.env.FAKE_SAYS_NO_HELLO) send({ type: "hello", pid: process.pid, library: "fake" });
