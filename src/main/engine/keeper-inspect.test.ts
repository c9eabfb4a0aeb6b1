import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { qwenTemplate } from "../../../tests/support/chat-templates.ts";
import {
  aLog,
  aMemory,
  answerOf,
  fakeEngine,
  fakeModel,
  isGone,
  noStop,
  temporaryFolder,
} from "../../../tests/support/fake-engine.ts";
import { writeGguf } from "../../../tests/support/gguf.ts";
import { engineEntry } from "./entry.ts";

const realEngine = (more = {}) => fakeEngine({ entry: engineEntry(), ...more });

describe("looking at a file", () => {
  test("tells what it says of itself, and loads nothing", async () => {
    const engine = realEngine();
    const path = writeGguf(join(temporaryFolder(), "a.gguf"), { name: "Tiny", chatTemplate: qwenTemplate });
    expect(await engine.inspect(path)).toMatchObject({ path, name: "Tiny", tools: true, trainedWindow: 8192 });
    expect(engine.pid).toBeUndefined();
    expect(engine.state()).toEqual({ steps: [] });
  });

  test("does not disturb the model that answers, and leaves no child", async () => {
    const pids: number[] = [];
    const log = { ...aLog(), info: (_: string, fields = {}) => "pid" in fields && void pids.push(Number(fields.pid)) };
    const engine = fakeEngine({ log });
    const facts = { reply: { type: "error", error: { code: "model-invalid", message: "No.", retryable: false } } };
    const model = fakeModel({ inspect: [facts] });
    await engine.load(model, noStop());
    const { pid } = engine;
    await expect(engine.inspect(model.path)).rejects.toMatchObject({ code: "model-invalid" });
    expect(engine.pid).toBe(pid);
    expect(await answerOf(engine, model)).toContain("answer");
    expect(pids).toHaveLength(2);
    await isGone(pids[1] ?? 0);
  });

  test.each([
    { name: "kills it", step: { kill: "SIGABRT" }, how: "SIGABRT" },
    { name: "ends it", step: { exit: 3 }, how: "exit code 3" },
    { name: "makes it hang", step: { hang: true }, how: "no sign of life" },
  ])("that $name says so, and the next one is fine", async ({ step, how }) => {
    const engine = fakeEngine({ limits: { pingMs: 20, silenceMs: 200 } });
    const model = fakeModel({ inspect: [step] });
    await expect(engine.inspect(model.path)).rejects.toMatchObject({
      code: "model-invalid",
      message: expect.stringMatching(new RegExp(`model\\.gguf.*${how}.*Download it again`, "s")),
    });
    expect(await engine.held(model.path)).toBeUndefined();
    expect(await answerOf(engine, fakeModel())).toContain("answer");
  });

  test("that cannot be one names it and the next step", async () => {
    const engine = realEngine();
    const folder = temporaryFolder();
    writeFileSync(join(folder, "page.gguf"), "<!doctype html><title>Sign in</title>");
    writeFileSync(join(folder, "empty.gguf"), "");
    const inspect = (name: string) => engine.inspect(join(folder, name));
    await expect(inspect("page.gguf")).rejects.toMatchObject({
      code: "model-invalid",
      message: expect.stringContaining("web page"),
    });
    await expect(inspect("empty.gguf")).rejects.toMatchObject({ code: "model-invalid" });
    await expect(inspect("none.gguf")).rejects.toMatchObject({ code: "model-missing" });
  });

  test("is remembered as long as the file stays the same", async () => {
    const memory = aMemory();
    const path = writeGguf(join(temporaryFolder(), "a.gguf"), { name: "One" });
    expect(await realEngine({ memory }).inspect(path)).toMatchObject({ name: "One" });
    const noChild = fakeEngine({ memory, entry: "/nowhere/main.js", limits: { helloMs: 500 } });
    expect(await noChild.inspect(path)).toMatchObject({ name: "One" });
    writeGguf(path, { name: "The other one" });
    expect(await realEngine({ memory }).inspect(path)).toMatchObject({ name: "The other one" });
  });

  test("can be stopped", async () => {
    const engine = fakeEngine({ limits: { stopMs: 50 } });
    const stop = new AbortController();
    const look = engine.inspect(fakeModel({ inspect: [{ stuck: true }] }).path, stop.signal);
    setImmediate(() => stop.abort());
    await expect(look).rejects.toMatchObject({ code: "aborted" });
  });
});
