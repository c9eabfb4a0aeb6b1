import { describe, expect, test } from "vitest";
import { aLog, aMemory, answerOf, fakeEngine, fakeModel, noStop } from "../../../tests/support/fake-engine.ts";
import type { Engine } from "./keeper.ts";
import type { LoadOptions, RunSettings } from "./protocol.ts";

const run: RunSettings = { gpu: "auto", flashAttention: "auto", cacheType: "f16", thinking: "auto" };
const outOfMemory = { error: { code: "out-of-memory", message: "Not enough.", retryable: false } };
const withCard = { begin: "Radeon" };
const noCard = { begin: "CPU" };
const tell = { chat: [{ tell: "options" }] };

const wanted = (model: LoadOptions, more: Partial<LoadOptions> = {}): LoadOptions => ({
  ...model,
  contextTokens: 8192,
  run,
  ...more,
});

/** What the child was asked to load with, last. */
async function lastTry(engine: Engine, model: LoadOptions) {
  const { contextTokens, gpuShare, run, sparedThreads } = JSON.parse(await answerOf(engine, model));
  return { contextTokens, gpuShare, gpu: run.gpu, ...(sparedThreads !== undefined && { sparedThreads }) };
}

describe("a model that does not fit", () => {
  test("gives up layers, the card and half of the window, in this order, and says each once", async () => {
    const load = [
      [withCard, outOfMemory],
      [withCard, outOfMemory],
      [withCard, outOfMemory],
      [noCard, outOfMemory],
      [noCard],
    ];
    const engine = fakeEngine({ limits: { restartMs: [0] } });
    const model = wanted(fakeModel({ load, ...tell }));
    await engine.load(model, noStop());
    expect(engine.state().steps).toEqual(["cpu", "smaller-window"]);
    expect(await lastTry(engine, model)).toEqual({ contextTokens: 4096, gpuShare: 0, gpu: "off" });
  });

  test("runs with some of its layers on the card when that is enough", async () => {
    const half = { as: { device: "Radeon", layers: 10, layersOnGpu: 5 } };
    const engine = fakeEngine();
    const model = wanted(
      fakeModel({
        load: [
          [withCard, outOfMemory],
          [withCard, half],
        ],
        ...tell,
      }),
    );
    await engine.load(model, noStop());
    expect(engine.state()).toMatchObject({ device: "Radeon", layers: 10, layersOnGpu: 5, steps: ["fewer-layers"] });
    expect(await lastTry(engine, model)).toEqual({ contextTokens: 8192, gpuShare: 0.5, gpu: "auto" });
  });

  test("without a card goes straight to a smaller window, and no card is spoken of", async () => {
    const engine = fakeEngine();
    const model = wanted(fakeModel({ load: [[noCard, outOfMemory], [noCard]], ...tell }));
    await engine.load(model, noStop());
    expect(engine.state()).toMatchObject({ window: 4096, device: "CPU", steps: ["smaller-window"] });
  });

  test("at the end of the ladder is refused once, in words, and no crash is counted", async () => {
    const memory = aMemory();
    const engine = fakeEngine({ memory });
    const model = wanted(fakeModel({ load: [noCard, outOfMemory] }));
    for (const _ of [1, 2, 3])
      await expect(engine.load(model, noStop())).rejects.toMatchObject({ code: "out-of-memory" });
    expect(await engine.held(model.path)).toBeUndefined();
  });

  test("begins where it ran the last time, also after a restart, until the settings change", async () => {
    const memory = aMemory();
    const load = [[noCard, outOfMemory], [noCard, outOfMemory], [noCard]];
    const model = wanted(fakeModel({ load, ...tell }));
    const first = fakeEngine({ memory, freeMemory: () => 1e9 });
    await first.load(model, noStop());
    await first.close();
    const log = aLog();
    const second = fakeEngine({ memory, log, freeMemory: () => 1e9 });
    expect(await lastTry(second, model)).toMatchObject({ contextTokens: 2048 });
    expect(second.state().steps).toEqual(["smaller-window"]);
    expect(log.lines.map(({ event }) => event)).not.toContain("engine.stepped-down");
    expect(await lastTry(second, { ...model, run: { ...run, thinking: "off" } })).toMatchObject({
      contextTokens: 8192,
    });
  });

  test("is given its whole window again when much more memory is free", async () => {
    const memory = aMemory();
    const model = wanted(fakeModel({ load: [[noCard, outOfMemory], [noCard]], ...tell }));
    const first = fakeEngine({ memory, freeMemory: () => 1e9 });
    await first.load(model, noStop());
    await first.close();
    const second = fakeEngine({ memory, freeMemory: () => 4e9 });
    expect(await lastTry(second, model)).toMatchObject({ contextTokens: 8192 });
    expect(second.state().steps).toEqual([]);
  });
});

describe("a graphics card that crashes the child", () => {
  test.each([
    { name: "before it says what it is", steps: [] },
    { name: "while it loads", steps: [withCard] },
  ])("$name: the model runs on the processor at once, and the file is not blamed", async ({ steps }) => {
    const engine = fakeEngine();
    const model = wanted(fakeModel({ load: [[...steps, { kill: "SIGSEGV" }], [noCard]], ...tell }));
    await engine.load(model, noStop());
    expect(engine.state().steps).toEqual(["cpu"]);
    expect(await lastTry(engine, model)).toEqual({ contextTokens: 8192, gpuShare: 0, gpu: "off" });
    expect(await engine.held(model.path)).toBeUndefined();
  });

  test("while it answers: the next start is on the processor, after a restart too", async () => {
    const memory = aMemory();
    const onCard = { as: { device: "Radeon", layers: 10, layersOnGpu: 10 } };
    const script = { load: [[withCard, onCard], [noCard]], chat: [[{ kill: "SIGABRT" }], [{ tell: "options" }]] };
    const model = wanted(fakeModel(script));
    const engine = fakeEngine({ memory });
    await expect(answerOf(engine, model)).rejects.toMatchObject({ code: "engine-crashed" });
    await engine.close();
    const second = fakeEngine({ memory });
    expect(await lastTry(second, model)).toMatchObject({ gpu: "off" });
    expect(second.state().steps).toEqual(["cpu"]);
  });

  test("is not blamed where there is none: the file is held back after two crashes", async () => {
    const engine = fakeEngine({ limits: { restartMs: [0] } });
    const model = wanted(fakeModel({ load: [noCard, { kill: "SIGABRT" }] }));
    for (const code of ["engine-crashed", "engine-crashed", "model-held"])
      await expect(engine.load(model, noStop())).rejects.toMatchObject({ code });
    expect(await engine.held(model.path)).toContain("SIGABRT");
  });
});

describe("a model that is released with safer settings", () => {
  const crash = [noCard, { kill: "SIGABRT" }];

  test("runs on the processor with a small window and a thread less, until it gave a good answer", async () => {
    const memory = aMemory();
    const model = wanted(fakeModel({ load: [crash, crash, [noCard]], ...tell }), {
      run: { ...run, cacheType: "q8_0" },
    });
    const engine = fakeEngine({ memory, limits: { restartMs: [0] } });
    for (const _ of [1, 2])
      await expect(engine.load(model, noStop())).rejects.toMatchObject({ code: "engine-crashed" });
    engine.release(model.path, { safer: true });
    engine.release(model.path); // by choosing it once more, say
    await engine.load(model, noStop());
    expect(engine.state()).toMatchObject({ window: 2048, steps: ["smaller-window"] });
    await engine.close();
    const later = fakeEngine({ memory });
    expect(await lastTry(later, model)).toEqual({ contextTokens: 2048, gpuShare: 0, gpu: "off", sparedThreads: 1 });
    await later.unload();
    expect(await lastTry(later, model)).toEqual({ contextTokens: 8192, gpuShare: 1, gpu: "auto" });
  });

  test("is tried as it is wanted when a person says so", async () => {
    const model = wanted(fakeModel({ load: [crash, crash, [noCard]], ...tell }));
    const engine = fakeEngine({ limits: { restartMs: [0] } });
    for (const _ of [1, 2])
      await expect(engine.load(model, noStop())).rejects.toMatchObject({ code: "engine-crashed" });
    engine.release(model.path, { safer: true });
    engine.release(model.path); // by choosing it once more, say
    engine.release(model.path, { safer: false });
    expect(await lastTry(engine, model)).toMatchObject({ contextTokens: 8192 });
  });
});
