import { expect, test } from "vitest";
import { aLog, aRequest, collect, fakeEngine, fakeModel, noStop } from "../../../tests/support/fake-engine.ts";
import type { LoadOptions, RunSettings } from "../engine/protocol.ts";
import { createLocalProvider, type LocalOptions } from "./local.ts";

const open = (model: LoadOptions = fakeModel(), more: Partial<LocalOptions> = {}) => {
  const engine = fakeEngine();
  const log = aLog();
  return { engine, log, model, provider: createLocalProvider({ engine, log, ...of(model), ...more }) };
};
const of = ({ path, contextTokens }: LoadOptions) => ({ path, run: () => ({ contextTokens }) });

test("opening tells what the model is, and logs nothing of its path", async () => {
  const { provider, log, model } = open();
  expect(await provider.open(noStop())).toEqual({
    key: "key of model.gguf",
    name: "Fake",
    window: 1024,
    maxOutputTokens: 256,
    toolLevel: "named",
    parameters: 135,
    continues: "in-place",
    local: true,
    vision: false,
  });
  expect(JSON.stringify(log.lines)).not.toContain(model.path);
});

test("a large window leaves room for 1024 tokens of an answer at most, and the model's own window wins", async () => {
  const info = await open({ ...fakeModel(), contextTokens: 100_000 }).provider.open(noStop());
  expect(info).toMatchObject({ window: 8192, maxOutputTokens: 1024 });
});

test("the person's choice of a tool level wins", async () => {
  expect(await open(fakeModel(), { toolLevel: "forced" }).provider.open(noStop())).toMatchObject({
    toolLevel: "forced",
  });
});

test("progress of opening is passed on; opening again is free", async () => {
  const { provider, engine } = open(fakeModel({ load: [{ progress: [1, 2] }] }));
  const progress: number[] = [];
  await provider.open(noStop(), (done) => void progress.push(done));
  const { pid } = engine;
  await provider.open(noStop(), (done) => void progress.push(done));
  expect(progress).toEqual([1]);
  expect(engine.pid).toBe(pid);
});

test("a file that is not there is said so by name", async () => {
  const { provider } = open({ path: "/nowhere/model.gguf", contextTokens: 512 });
  await expect(provider.open(noStop())).rejects.toMatchObject({
    code: "model-missing",
    message: expect.stringContaining("/nowhere/model.gguf"),
  });
});

test("two providers of one engine are each answered and counted by their own model", async () => {
  const { provider: first, engine, log } = open(fakeModel({ chat: [{ text: "first" }] }));
  const other = fakeModel({
    chat: [{ text: "second" }],
    count: [{ reply: { type: "done", value: [7] } }, { stuck: true }],
  });
  const second = createLocalProvider({ engine, log, ...of(other) });
  await first.open(noStop());
  await second.open(noStop());
  expect(await collect(first.stream(aRequest(), noStop()))).toContainEqual({ type: "text", text: "first" });
  expect(await second.countTokens(["a"])).toEqual([7]);
  expect(await first.countTokens(["abc"])).toEqual([3]);
});

test("what had to be given up is said once, in words", async () => {
  const run: RunSettings = { gpu: "auto", flashAttention: "auto", cacheType: "q8_0", thinking: "auto" };
  const script = [
    [{ begin: "Radeon" }, { error: { code: "out-of-memory", message: "Not enough.", retryable: false } }],
    [{ begin: "Radeon" }, { as: { device: "Radeon", layers: 10, layersOnGpu: 5, cacheType: "f16" } }],
  ];
  const { path, contextTokens } = fakeModel({ load: script });
  const { provider, engine } = open(undefined, { path, run: () => ({ contextTokens, run }) });
  expect((await provider.open(noStop())).notices).toEqual([
    expect.stringMatching(/5 of its 10 layers/),
    expect.stringMatching(/smaller cache/),
  ]);
  expect(await provider.open(noStop())).not.toHaveProperty("notices");
  await engine.unload();
  expect(await provider.open(noStop())).not.toHaveProperty("notices");
});

test("changed settings count from the next opening on, and the model is loaded anew for them", async () => {
  let contextTokens = 1024;
  const { provider, engine } = open(fakeModel({ chat: [{ tell: "options" }] }), { run: () => ({ contextTokens }) });
  const asked = async () => JSON.stringify(await collect(provider.stream(aRequest(), noStop())));
  await provider.open(noStop());
  contextTokens = 2048;
  expect(await asked()).toContain("1024");
  const { pid } = engine;
  expect(await provider.open(noStop())).toMatchObject({ window: 2048 });
  expect(await asked()).toContain("2048");
  expect(engine.pid).not.toBe(pid);
});

test("closing lets go of the process, unless it serves another model", async () => {
  const { provider, engine, log } = open();
  const other = createLocalProvider({ engine, log, ...of(fakeModel()) });
  await other.open(noStop());
  await provider.close();
  expect(engine.pid).toBeTypeOf("number");
  await other.close();
  expect(engine.pid).toBeUndefined();
});
