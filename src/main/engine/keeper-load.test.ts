import { writeFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import {
  aMemory,
  answerOf,
  fakeEngine,
  fakeModel,
  isGone,
  isRunning,
  noStop,
  temporaryFolder,
} from "../../../tests/support/fake-engine.ts";

const patient = { timeout: 10_000 };

const slow = { load: [{ progress: [1, 2] }, { progress: [2, 2] }] };

describe("loading", () => {
  test("the child starts with the first load and tells what it loaded", async () => {
    const engine = fakeEngine();
    expect(engine.pid).toBeUndefined();

    const loaded = await engine.load(fakeModel(), noStop());

    expect(loaded).toMatchObject({ window: 1024, card: { name: "Fake", toolLevel: "named" } });
    expect(engine.pid).toBeTypeOf("number");
  });

  test("progress is passed on", async () => {
    const steps: number[][] = [];
    const model = fakeModel({ load: [{ progress: [1, 3] }, { progress: [3, 3] }] });
    await fakeEngine().load(model, noStop(), (done, total) => void steps.push([done, total]));
    expect(steps).toEqual([
      [1, 3],
      [3, 3],
    ]);
  });

  test("the same model is loaded once, also when two ask at a time", async () => {
    const engine = fakeEngine();
    const model = fakeModel();
    await Promise.all([engine.load(model, noStop()), engine.load({ ...model }, noStop())]);
    const { pid } = engine;
    await engine.load(model, noStop());
    expect(engine.pid).toBe(pid);
  });

  test.each([
    { name: "another file", change: () => fakeModel(slow) },
    { name: "another window", change: (path: string) => ({ path, contextTokens: 512 }) },
    {
      name: "another tool level",
      change: (path: string) => ({ path, contextTokens: 1024, toolLevel: "forced" as const }),
    },
    {
      name: "another content of the same file",
      change(path: string) {
        writeFileSync(path, '{"load": [{"progress": [1, 2]}, {"progress": [2, 2]}]}');
        return { path, contextTokens: 1024 };
      },
    },
  ])("$name needs a new child, and the old one is gone before it", async ({ change }) => {
    const engine = fakeEngine();
    const model = fakeModel(slow);
    await engine.load(model, noStop());
    const old = engine.pid ?? 0;
    const wasRunning: boolean[] = [];
    await engine.load(change(model.path), noStop(), () => void wasRunning.push(isRunning(old)));
    expect(wasRunning[0]).toBe(false);
    expect(engine.pid).not.toBe(old);
  });

  test.each([
    { name: "a file that is not there", path: () => "/nowhere/model.gguf", code: "model-missing" },
    { name: "a path through a file", path: () => `${fakeModel().path}/model.gguf`, code: "model-missing" },
    { name: "a folder", path: temporaryFolder, code: "model-invalid" },
    { name: "a device", path: () => "/dev/null", code: "model-invalid" },
    {
      name: "an empty file",
      path() {
        const { path } = fakeModel();
        writeFileSync(path, "");
        return path;
      },
      code: "model-invalid",
    },
  ])("$name is refused by name, without a child", async ({ path, code }) => {
    const engine = fakeEngine({ entry: "/nowhere/child.mjs" });
    const model = { path: path(), contextTokens: 1024 };
    await expect(engine.load(model, noStop())).rejects.toMatchObject({
      code,
      message: expect.stringContaining(model.path),
    });
  });

  test("a refusal of the child is passed on, and its process ended", async () => {
    const error = { code: "model-unsupported", message: "No such architecture.", retryable: false };
    const engine = fakeEngine();
    const model = fakeModel({ load: [{ console: "pid" }, { wait: 100 }, { error }] });
    await expect(engine.load(model, noStop())).rejects.toMatchObject({
      code: "model-unsupported",
      message: "No such architecture.",
    });
    expect(engine.pid).toBeUndefined();
    await isGone(Number(engine.lastWords));
  });

  test("a load that is stopped ends the child, and the next one works", async () => {
    const engine = fakeEngine({ limits: { stopMs: 60_000 } });
    const model = fakeModel({ load: [[{ progress: [1, 2] }, { stuck: true }], []] });
    const stop = new AbortController();
    await expect(engine.load(model, stop.signal, () => stop.abort())).rejects.toMatchObject({ code: "aborted" });
    expect(await answerOf(engine, model)).toBe("answer to session");
  });

  test("the card of a file is remembered and given to the next load of it, by another engine too", async () => {
    const memory = aMemory();
    const model = fakeModel({ chat: [{ tell: "options" }] });
    const first = fakeEngine({ memory });
    const { card } = await first.load(model, noStop());
    await first.close();

    expect(JSON.parse(await answerOf(fakeEngine({ memory }), model))).toEqual({ ...model, card });
  });

  test("a changed file has no card", async () => {
    const memory = aMemory();
    const engine = fakeEngine({ memory });
    const model = fakeModel({ load: [] });
    await engine.load(model, noStop());
    writeFileSync(model.path, JSON.stringify({ chat: [{ tell: "options" }] }));
    await engine.load(model, noStop());
    expect(JSON.parse(await answerOf(engine, model))).toEqual(model);
  });

  test("a tool level that the person chose is not remembered as the file's own", async () => {
    const memory = aMemory();
    const engine = fakeEngine({ memory });
    const model = fakeModel();
    const chosen = { ...model, toolLevel: "forced" as const };
    expect((await engine.load(chosen, noStop())).card.toolLevel).toBe("forced");
    await engine.load(model, noStop());
    await engine.load(chosen, noStop());
    expect([...memory.values.values()].map((value) => JSON.parse(value).card.toolLevel)).toEqual(["named"]);
  });
});

describe("the child's surroundings", () => {
  test("no secret and no option of Node reaches it; libuv's pool is one thread", async () => {
    vi.stubEnv("SECRET_KEY", "hush");
    vi.stubEnv("NODE_OPTIONS", "--no-warnings");
    const told = JSON.parse(await answerOf(fakeEngine(), fakeModel({ chat: [{ tell: "environment" }] })));
    vi.unstubAllEnvs();
    expect(told).toMatchObject({ UV_THREADPOOL_SIZE: "1", PATH: process.env.PATH });
    expect(told).not.toHaveProperty("SECRET_KEY");
    expect(told).not.toHaveProperty("NODE_OPTIONS");
  });

  test("it yields to the rest of the computer", async () => {
    expect(await answerOf(fakeEngine(), fakeModel({ chat: [{ tell: "priority" }] }))).toBe("10");
  });

  test("its console can be looked at", async () => {
    const engine = fakeEngine();
    await answerOf(
      engine,
      fakeModel({ chat: [{ console: "x".repeat(10_000) }, { console: "ggml: the end" }, { wait: 50 }] }),
    );
    await vi.waitFor(() => expect(engine.lastWords).toMatch(/x{1000}ggml: the end$/), patient);
    expect(engine.lastWords.length).toBe(4096);
  });
});
