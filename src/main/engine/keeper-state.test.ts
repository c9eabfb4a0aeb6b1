import { expect, onTestFinished, test, vi } from "vitest";
import { aLog, answerOf, fakeEngine, fakeModel, isGone, noStop } from "../../../tests/support/fake-engine.ts";
import { EngineState } from "../../shared/views.ts";
import { speedsAfter, Teller } from "./engine-state.ts";

const usage = (more: object) => ({
  ...{ inputTokens: 100, reusedTokens: 0, outputTokens: 21, firstTokenMs: 500, decodeMs: 1000 },
  ...more,
});

test("the state is empty before a model is loaded, whole afterwards, and empty again when it is let go", async () => {
  const told: EngineState[] = [];
  const ended = Promise.withResolvers<void>();
  const engine = fakeEngine({
    onState(state) {
      told.push(EngineState.parse(state));
      if (told.length > 1 && state.path === undefined) ended.resolve();
    },
  });
  const model = fakeModel();
  expect(engine.state()).toEqual({ steps: [] });
  await engine.load(model, noStop());
  expect(engine.state()).toEqual({
    path: model.path,
    name: "Fake",
    window: 1024,
    device: "CPU",
    layersOnGpu: 0,
    layers: 4,
    threads: 1,
    memoryBytes: 1_000_000,
    steps: [],
  });
  expect(told[0]).toEqual(engine.state());
  await engine.unload();
  expect(engine.state()).toEqual({ steps: [] });
  await ended.promise;
});

test("speeds are those of the last request that was long enough to tell, and of this model", async () => {
  const engine = fakeEngine();
  const chat = [{ reply: { type: "events", events: [{ type: "usage", usage: usage({ reusedTokens: 50 }) }] } }];
  const model = fakeModel({ chat });
  await answerOf(engine, model);
  expect(engine.state()).toMatchObject({ readSpeed: 100, writeSpeed: 20 });
  await engine.load(fakeModel(), noStop());
  expect(engine.state()).not.toHaveProperty("readSpeed");
});

test("a request of a few tokens says nothing about speed", () => {
  const before = { readSpeed: 7, writeSpeed: 8 };
  expect(speedsAfter(before, usage({ reusedTokens: 90, outputTokens: 3 }))).toEqual(before);
  expect(speedsAfter(before, usage({ firstTokenMs: 0, decodeMs: 0 }))).toEqual(before);
});

test("the memory of the child is what it last said", async () => {
  const news = Promise.withResolvers<void>();
  const engine = fakeEngine({
    limits: { pingMs: 20 },
    onState: ({ memoryBytes }) => memoryBytes === 7_000_000 && news.resolve(),
  });
  await engine.load(fakeModel({ load: [{ memory: 7_000_000 }] }), noStop());
  await news.promise;
});

test("news come at once, then at most one in a while, the newest last", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let value = 0;
  const told: number[] = [];
  const teller = new Teller(() => void told.push(value), 1000);
  for (value of [1, 2, 3]) teller.news();
  expect(told).toEqual([1]);
  vi.advanceTimersByTime(1000);
  expect(told).toEqual([1, 3]);
  vi.advanceTimersByTime(5000);
  expect(told).toEqual([1, 3]);
  teller.news();
  value = 4;
  teller.news();
  teller.end();
  vi.advanceTimersByTime(5000);
  expect(told).toEqual([1, 3, 3]);
});

test("when the memory is short a model that nobody is answered by is let go, and the next use loads it again", async () => {
  let free = 1e9;
  const log = aLog();
  const engine = fakeEngine({ limits: { pingMs: 20 }, log, freeMemory: () => free, totalMemory: 8e9 });
  const model = fakeModel();
  expect(await answerOf(engine, model)).toContain("answer");
  const { pid } = engine;
  free = 3.9e8; // less than a twentieth
  await isGone(pid ?? 0);
  expect(log.lines).toContainEqual({ event: "engine.unloaded", fields: { why: "memory is short" } });
  free = 1e9;
  expect(await answerOf(engine, model)).toContain("answer");
});

test("a model that answers stays, however short the memory is", async () => {
  const engine = fakeEngine({ limits: { pingMs: 20 }, freeMemory: () => 0 });
  const model = fakeModel({ chat: [{ text: "a" }, { wait: 150 }, { text: "b" }] });
  expect(await answerOf(engine, model)).toBe("ab");
});

test("a model that rests stays while there is memory enough", async () => {
  const looks = Promise.withResolvers<void>();
  let left = 5;
  const freeMemory = () => {
    left -= 1;
    if (left === 0) looks.resolve();
    return 4.1e8;
  };
  const engine = fakeEngine({ limits: { pingMs: 20 }, freeMemory, totalMemory: 8e9 });
  await engine.load(fakeModel(), noStop());
  const { pid } = engine;
  await looks.promise;
  expect(engine.pid).toBe(pid);
});
