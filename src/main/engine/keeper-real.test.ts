import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import {
  aMemory,
  answerOf,
  aRequest,
  collect,
  isGone,
  noStop,
  temporaryFolder,
} from "../../../tests/support/fake-engine.ts";
import { starterModel } from "../../../tests/support/starter.ts";
import { abortingModel, endlessModel, sayingModel } from "../../../tests/support/tiny-models.ts";
import { silentLog } from "../lib/log.ts";
import { createEngine, type Engine } from "./keeper.ts";
import type { LoadOptions } from "./protocol.ts";

// The real child and the real llama.cpp. What is shown elsewhere with a fake child is not repeated.

function realEngine(): Engine {
  const engine = createEngine({ memory: aMemory(), log: silentLog });
  onTestFinished(() => engine.close());
  return engine;
}

const asked = (text: string) => ({
  ...aRequest(),
  maxOutputTokens: 400,
  messages: [{ role: "user" as const, parts: [{ type: "text" as const, text }] }],
});

const inFolder = (write: (file: string) => string): LoadOptions => ({
  path: write(join(temporaryFolder(), "model.gguf")),
  contextTokens: 512,
});

test("the starter model answers after its child was killed in the middle of an answer; what was learnt of it is not measured again", async () => {
  const engine = realEngine();
  const model = { path: await starterModel(), contextTokens: 1024 };
  const { card } = await engine.load(model, noStop());
  let words = 0;
  const killed = collect(engine.chat(asked("Tell me a long story."), noStop()), ({ type }) => {
    if (type === "text" && ++words === 1) process.kill(engine.pid ?? 0, "SIGKILL");
  });
  await expect(killed).rejects.toMatchObject({ code: "engine-crashed" });
  expect(words).toBeGreaterThan(0);

  const events = await collect(engine.chat(asked("What is the capital of France?"), noStop()));
  expect(events.map((event) => (event.type === "text" ? event.text : "")).join("")).toContain("Paris");
  expect(events.at(-1)).toEqual({ type: "finish", reason: "stop" });
  expect((await engine.load(model, noStop())).card).toEqual(card);
  expect(await engine.count(["one two three", ""])).toEqual([3, 0]);
});

test("a stop in the middle of an answer is heard by the same child, which answers the next one", async () => {
  const engine = realEngine();
  const model = inFolder(endlessModel);
  await engine.load(model, noStop());
  const { pid } = engine;
  const stop = new AbortController();
  const events = await collect(engine.chat(asked("go"), stop.signal), ({ type }) => type === "text" && stop.abort());
  expect(events.at(-1)).toEqual({ type: "finish", reason: "aborted" });
  expect((await collect(engine.chat(asked("go"), noStop()))).at(-1)).toEqual({ type: "finish", reason: "length" });
  expect(engine.pid).toBe(pid);
});

test("a file that aborts llama.cpp takes only the child with it, twice, and is then held back; another one works", async () => {
  const engine = realEngine();
  const bad = inFolder(abortingModel);
  for (const code of ["engine-crashed", "engine-crashed", "model-held"]) {
    await expect(engine.load(bad, noStop())).rejects.toMatchObject({
      code,
      message: expect.stringContaining("SIGABRT"),
    });
  }
  const good = inFolder((file) => sayingModel(file, [" one", " two"]));
  expect(await answerOf(engine, good)).toContain("one two");
});

test("closing in the middle of an answer leaves no child", async () => {
  const engine = realEngine();
  let pid = 0;
  const chat = collect(engine.chat(asked("go"), noStop(), inFolder(endlessModel)), ({ type }) => {
    if (type !== "text" || pid > 0) return;
    pid = engine.pid ?? 0;
    void engine.close();
  });
  await expect(chat).rejects.toMatchObject({ code: "aborted" });
  await isGone(pid);
});

test("no child survives a kill of its parent in the middle of an answer", async () => {
  const program = fileURLToPath(new URL("../../../tests/support/engine-parent.ts", import.meta.url));
  const { path } = inFolder(endlessModel);
  const parent = spawn(process.execPath, [program, "own", path], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void parent.kill("SIGKILL"));
  let pid = 0;
  for await (const line of createInterface({ input: parent.stdout })) {
    pid = Number(line.split(" ")[1]);
    if (line.startsWith("answering")) break;
  }
  const ended = once(parent, "exit");
  parent.kill("SIGKILL");
  await ended;
  await isGone(pid);
});
