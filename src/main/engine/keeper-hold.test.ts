import { utimesSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { aMemory, answerOf, fakeEngine, fakeModel, noStop } from "../../../tests/support/fake-engine.ts";

const crash = [{ kill: "SIGABRT" }];
const works = [{ text: "fine" }];

describe("a model that crashed the engine twice", () => {
  test.each([
    { name: "while it was loaded", script: { load: crash } },
    { name: "while it answered", script: { chat: crash } },
    { name: "by ending the process", script: { chat: [{ exit: 134 }] } },
  ])("$name is held back, and the second crash says so already", async ({ script }) => {
    const engine = fakeEngine();
    const model = fakeModel(script);
    await expect(answerOf(engine, model)).rejects.toThrow("It is started again");
    await expect(answerOf(engine, model)).rejects.toMatchObject({
      code: "engine-crashed",
      message: expect.stringMatching(/stopped \((signal SIGABRT|exit code 134)\).* is held back/),
    });
    await expect(answerOf(engine, model)).rejects.toMatchObject({
      code: "model-held",
      retryable: false,
      message: expect.stringContaining(`${model.path} crashed the local engine 2 times`),
    });
    expect(engine.pid).toBeUndefined();
  });

  test("once in each of two processes is held back in the third", async () => {
    const memory = aMemory();
    const model = fakeModel({ load: crash });
    for (const code of ["engine-crashed", "engine-crashed", "model-held"]) {
      await expect(answerOf(fakeEngine({ memory }), model)).rejects.toMatchObject({ code });
    }
  });

  test("with a good answer between is not held back", async () => {
    const engine = fakeEngine({ limits: { restartMs: [0, 60_000] } });
    const model = fakeModel({ chat: [crash, works, crash, works] });
    await expect(answerOf(engine, model)).rejects.toThrow();
    expect(await answerOf(engine, model)).toBe("fine");
    await expect(answerOf(engine, model)).rejects.toThrow();
    expect(await answerOf(engine, model)).toBe("fine");
  });

  test("does not hold back another one", async () => {
    const engine = fakeEngine();
    const model = fakeModel({ chat: crash });
    await expect(answerOf(engine, model)).rejects.toThrow();
    await expect(answerOf(engine, model)).rejects.toThrow();
    expect(await answerOf(engine, fakeModel({ chat: works }))).toBe("fine");
  });

  test("is free again once it is released, with a crash to its credit", async () => {
    const engine = fakeEngine({ limits: { pauseMs: 0 } });
    const model = fakeModel({ chat: [crash, crash, crash, works] });
    for (const code of ["engine-crashed", "engine-crashed", "model-held"]) {
      await expect(answerOf(engine, model)).rejects.toMatchObject({ code });
    }
    engine.release(model.path);
    await expect(answerOf(engine, model)).rejects.toThrow("It is started again");
    expect(await answerOf(engine, model)).toBe("fine");
  });

  test("is free again once its file has changed", async () => {
    const engine = fakeEngine();
    const model = fakeModel({ chat: [crash, crash, works] });
    await expect(answerOf(engine, model)).rejects.toThrow();
    await expect(answerOf(engine, model)).rejects.toThrow();
    utimesSync(model.path, 1, 1);
    expect(await answerOf(engine, model)).toBe("fine");
  });

  test("is not held back for kills that came from outside, nor for a crash while nobody asked", async () => {
    const engine = fakeEngine({ limits: { restartMs: [0], pauseMs: 0 } });
    const killed = [{ kill: "SIGKILL" }];
    const model = fakeModel({ chat: [killed, [{ kill: "SIGTERM" }], killed, works] });
    for (let times = 0; times < 3; times++) {
      await expect(answerOf(engine, model)).rejects.toMatchObject({ code: "engine-crashed" });
    }
    expect(await answerOf(engine, model)).toBe("fine");
    for (let times = 0; times < 3; times++) {
      process.kill(engine.pid ?? 0, "SIGSEGV");
      await expect.poll(() => engine.pid, { interval: 5 }).toBeUndefined();
      await engine.load(model, noStop());
    }
  });
});

describe("the memory of crashes", () => {
  test.each([
    { name: "cannot be written", get: () => undefined, set: fails },
    { name: "cannot be read", get: fails, set: () => undefined },
    { name: "holds nonsense", get: () => "{", set: () => undefined },
    { name: "holds something else", get: () => '{"crashes": "many"}', set: () => undefined },
  ])("that $name does not take the app down", async ({ get, set }) => {
    const engine = fakeEngine({ memory: { get, set } });
    const model = fakeModel({ chat: [crash, works] });
    await expect(answerOf(engine, model)).rejects.toMatchObject({ code: "engine-crashed" });
    expect(await answerOf(engine, model)).toBe("fine");
  });
});

function fails(): never {
  throw new Error("disk full");
}
