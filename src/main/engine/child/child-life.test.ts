import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { asks, EngineChild, sharedChild } from "../../../../tests/support/engine-child.ts";
import { writeGguf } from "../../../../tests/support/gguf.ts";
import { abortingModel, endlessModel, sayingModel, thinkingModel } from "../../../../tests/support/tiny-models.ts";

const folder = mkdtempSync(join(tmpdir(), "child-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string) => join(folder, `${name}.gguf`);
const child = sharedChild();

describe("loading", () => {
  test("again with its card gives the same card", async () => {
    const path = thinkingModel(file("card"));
    const { card } = await child.loadFirst({ path });
    expect(card).toMatchObject({
      name: "tiny",
      architecture: "qwen2",
      wrapper: "qwen",
      toolLevel: "native",
      trainedWindow: 8192,
    });
    expect(card.tokensPerSecond).toBeGreaterThan(0);
    expect(card.threads).toBeGreaterThanOrEqual(1);
    expect(card.threads).toBeLessThanOrEqual(availableParallelism());
    expect((await child.load({ path, card })).card).toEqual(card);
    expect((await child.load({ path, card, contextTokens: 1024 })).card.key).not.toBe(card.key);
  });

  test("can be stopped, and the child goes on", async () => {
    const options = { path: endlessModel(file("stopped")), contextTokens: 512 };
    const { id, reply } = child.send({ type: "load", options });
    child.abort(id);
    expect(await reply).toMatchObject({ type: "error", error: { code: "aborted" } });
    await child.load(options);
    expect((await child.chat(asks("Hi", { maxOutputTokens: 1 }))).text).toBe(" one");
  });

  test("tells how far it is", async () => {
    const told: unknown[] = [];
    const options = { path: sayingModel(file("progress"), ["a"]), contextTokens: 512 };
    await child.send(
      { type: "load", options },
      (reply) => reply.type === "progress" && told.push(reply.done / reply.total),
    ).reply;
    expect(told.at(-1)).toBe(1);
  });

  test("a file that was cut says what is missing, and the child goes on", async () => {
    const path = sayingModel(file("cut"), ["a"]);
    truncateSync(path, 100_000);
    expect(await child.refusal({ type: "load", options: { path, contextTokens: 512 } })).toMatchObject({
      code: "model-invalid",
      message: expect.stringMatching(/^cut\.gguf cannot be used: \d+ of its \d+ bytes are missing/),
    });
    writeFileSync(path, "<html>Sign in</html>");
    expect((await child.refusal({ type: "load", options: { path, contextTokens: 512 } })).message).toContain(
      "web page",
    );
    await child.load({ path: sayingModel(path, ["ok"]) });
    expect((await child.chat(asks("Hi"))).text).toBe("ok");
  });

  test("a file of an unknown architecture names it", async () => {
    const path = writeGguf(file("unknown"), { architecture: "future9" });
    expect(await child.refusal({ type: "load", options: { path, contextTokens: 512 } })).toMatchObject({
      code: "model-unsupported",
      message: expect.stringContaining("architecture future9"),
    });
  });

  test("a file on which llama.cpp aborts takes the child with it and nothing else", async () => {
    const victim = new EngineChild();
    await victim.hello;
    await expect(victim.load({ path: abortingModel(file("abort")) })).rejects.toThrow("SIGABRT");
    expect((await child.send({ type: "ping" }).reply).type).toBe("pong");
  });
});

describe("the end", () => {
  test("comes after unloading", async () => {
    const other = new EngineChild();
    await other.load({ path: endlessModel(file("unload")) });
    const running = other.chat(asks("Hi", { maxOutputTokens: 1900 }));
    await other.ask({ type: "unload" });
    expect((await running).finish).toBe("aborted");
    expect(await other.exit).toBe(0);
  });

  test("comes when nobody is left to answer", async () => {
    const other = new EngineChild();
    await other.load({ path: endlessModel(file("orphan")) });
    other.send({ type: "chat", request: asks("Hi", { maxOutputTokens: 1900 }) }).reply.catch(() => undefined);
    other.process.disconnect();
    expect(await other.exit).toBe("SIGKILL");
  });
});
