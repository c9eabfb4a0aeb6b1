import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { qwenTemplate } from "../../../../tests/support/chat-templates.ts";
import { aRequest, asks, EngineChild, says, sharedChild } from "../../../../tests/support/engine-child.ts";
import { byteToken, writeGguf } from "../../../../tests/support/gguf.ts";
import { endlessModel, sayingModel, thinkingModel } from "../../../../tests/support/tiny-models.ts";

const folder = mkdtempSync(join(tmpdir(), "child-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string) => join(folder, `${name}.gguf`);
const child = sharedChild();

describe("the engine child", () => {
  test("says hello with the version of the library, and answers a ping", async () => {
    expect(await child.hello).toMatchObject({ pid: child.process.pid, library: "3.21.1" });
    expect((await child.send({ type: "ping" }).reply).type).toBe("pong");
  });

  test("refuses to answer before a model is loaded", async () => {
    const other = new EngineChild();
    expect(await other.refusal({ type: "chat", request: asks("Hi") })).toMatchObject({ code: "model-missing" });
    expect(await other.refusal({ type: "count", texts: ["Hi"] })).toMatchObject({ code: "model-missing" });
    await other.stop();
  });

  test("answers with text, what it used and why it ended", async () => {
    await child.load({ path: sayingModel(file("say"), ["Hello", " there"]) });
    const { events, ...answer } = await child.chat(asks("Hi"));
    expect(answer).toEqual({
      text: "Hello there",
      reasoning: "",
      calls: [],
      usage: {
        inputTokens: 21,
        reusedTokens: 0,
        outputTokens: 3,
        firstTokenMs: expect.any(Number),
        decodeMs: expect.any(Number),
      },
      finish: "stop",
    });
    expect(events.filter((event) => "text" in event && event.text === "")).toEqual([]);
  });

  test("counts tokens as the model does, also while it answers", async () => {
    await child.load({ path: endlessModel(file("count")) });
    const answering = child.chat(asks("Hi", { maxOutputTokens: 300 }));
    expect(await child.ask({ type: "count", texts: ["", "abc", "<|im_end|>"] })).toEqual([0, 3, 10]);
    expect((await answering).finish).toBe("length");
  });

  test("tells thoughts apart from the answer", async () => {
    await child.load({ path: thinkingModel(file("think")) });
    expect(await child.chat(asks("Hi"))).toMatchObject({
      reasoning: "Let me see.",
      text: "\n\nHere it is.",
      finish: "stop",
    });
  });

  test("ends thoughts that find no end, so that an answer is left", async () => {
    const script = [
      ["\n", "<think>", "\nHm", " ha", " hm", " ha"],
      ["</think>", "Fine", "<|im_end|>"],
    ];
    await child.load({ path: writeGguf(file("muse"), { architecture: "qwen2", chatTemplate: qwenTemplate, script }) });
    expect(await child.chat(asks("Hi", { maxOutputTokens: 40 }))).toMatchObject({
      reasoning: expect.stringMatching(/^Hm ha hm ha/),
      text: "Fine",
      finish: "stop",
    });
  });

  test("never splits a character, however its bytes are spread over tokens", async () => {
    const bytes = [...Buffer.from("你們😄")].map((byte) => byteToken(byte));
    await child.load({
      path: sayingModel(file("split"), [...bytes.slice(0, 3), byteToken(0xe5, 0x80), ...bytes.slice(5)]),
    });
    const answer = await child.chat(asks("Hi"));
    expect(answer).toMatchObject({ text: "你們😄", finish: "stop" });
    for (const maxOutputTokens of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const cut = await child.chat(asks("Hi", { maxOutputTokens }));
      expect("你們😄".startsWith(cut.text)).toBe(true);
    }
  });

  test("ends an answer at the limit it was given", async () => {
    await child.load({ path: endlessModel(file("endless")) });
    expect(await child.chat(asks("Hi", { maxOutputTokens: 4 }))).toMatchObject({
      text: " one two three one",
      finish: "length",
    });
  });

  test("goes on at the very end of an unfinished answer", async () => {
    await child.load({
      path: sayingModel(file("go-on"), [" a"], {
        script: [
          ["\n", "Once"],
          ["n", " a", " time", "<|im_end|>"],
        ],
      }),
    });
    const messages = [says("user", "Tell"), says("assistant", "Once upon")];
    expect(await child.chat(aRequest({ messages }))).toMatchObject({ text: " a time", finish: "stop" });
  });

  test("stays silent on its outputs", () => {
    expect(child.output).toBe("");
  });
});

describe("stopping", () => {
  test("while it answers ends the answer, and the next request is answered from memory", async () => {
    await child.load({ path: endlessModel(file("stop")) });
    const stopped = await child.chat(asks("Hi", { maxOutputTokens: 1900 }), (event) => event.type === "text");
    expect(stopped.finish).toBe("aborted");
    expect(stopped.usage?.outputTokens).toBeLessThan(1900);
    expect(stopped.text).toMatch(/^ one two/);
    const next = await child.chat(asks("Hi", { maxOutputTokens: 3 }));
    expect(next).toMatchObject({ text: " one two three", finish: "length", usage: { reusedTokens: 20 } });
  });

  test("while it reads ends the reading, and what was read is kept", async () => {
    await child.load({ path: endlessModel(file("stop-reading"), { layers: 4 }), contextTokens: 4096 });
    const request = asks("x".repeat(2000), { maxOutputTokens: 5 });
    const stopped = await child.chat(request, (event) => event.type === "progress");
    expect(stopped).toMatchObject({ finish: "aborted", text: "", usage: { outputTokens: 0 } });
    const next = await child.chat(request);
    expect(next.finish).toBe("length");
    expect(next.usage?.reusedTokens).toBeGreaterThan(0);
    expect(next.usage?.reusedTokens).toBeLessThan(2000);
  });

  test("a request that waits answers for it at once", async () => {
    await child.load({ path: endlessModel(file("stop-waiting")) });
    let hasEnded = false;
    const running = child.chat(asks("Hi", { maxOutputTokens: 1500 })).finally(() => {
      hasEnded = true;
    });
    const waiting = child.send({ type: "chat", request: asks("Hi") });
    child.abort(waiting.id);
    expect(await waiting.reply).toMatchObject({ type: "done" });
    expect(hasEnded).toBe(false);
    expect((await running).finish).toBe("length");
  });
});

describe("the window", () => {
  test("is not larger than the model was trained with", async () => {
    expect(
      await child.load({ path: endlessModel(file("window"), { window: 1024 }), contextTokens: 4096 }),
    ).toMatchObject({
      window: 1024,
      card: { trainedWindow: 1024 },
    });
  });

  test("is never silently shifted: a prompt that does not fit is refused with both numbers", async () => {
    const { code, message } = await child.refusal({
      type: "chat",
      request: asks("x".repeat(1200), { maxOutputTokens: 500 }),
    });
    expect(code).toBe("context-overflow");
    expect(message).toContain("1219 tokens");
    expect(message).toContain("768 of its window of 1024");
  });

  test("ends an answer that would not fit, and keeps its beginning", async () => {
    const { finish, usage } = await child.chat(asks("x".repeat(700), { maxOutputTokens: 5000 }));
    expect(finish).toBe("length");
    expect((usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)).toBe(1024 - 32);
    expect((await child.chat(asks("x".repeat(700), { maxOutputTokens: 1 }))).usage?.reusedTokens).toBe(718);
  });
});
