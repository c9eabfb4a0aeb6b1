import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { qwenTemplate } from "../../../../tests/support/chat-templates.ts";
import { aRequest, asks, says, sharedChild } from "../../../../tests/support/engine-child.ts";
import { writeGguf } from "../../../../tests/support/gguf.ts";
import { callingModel, sayingModel } from "../../../../tests/support/tiny-models.ts";
import type { PromptMessage } from "../../../shared/inference.ts";
import type { Part } from "../../../shared/message.ts";

const folder = mkdtempSync(join(tmpdir(), "child-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string) => join(folder, `${name}.gguf`);
const assistant = (...parts: Part[]): PromptMessage => ({ role: "assistant", parts });
const tools = [
  {
    name: "read_file",
    description: "Reads a file.",
    inputSchema: {
      type: "object",
      properties: { path: { type: "string" }, limit: { type: "integer" } },
      required: ["path"],
    },
  },
];

const child = sharedChild();

describe("a model that knows tools", () => {
  test("makes a call, which is told and not run", async () => {
    await child.load({
      path: callingModel(file("call"), "read_file", '{"path": "a.txt", "limit": null}'),
      toolLevel: "native",
    });
    const { calls, events, ...answer } = await child.chat(asks("Look", { tools }));
    expect(calls).toMatchObject([{ name: "read_file", input: '{"path":"a.txt"}', ended: true }]);
    expect(answer).toMatchObject({ text: "", finish: "tool_calls" });
    expect(events.map(({ type }) => type).filter((type) => type !== "progress")).toEqual([
      "call-start",
      "call-arguments",
      "call-end",
      "usage",
      "finish",
    ]);
  });

  test("reads only what is new when the result comes back", async () => {
    const first = await child.chat(asks("Look", { tools }));
    const call: Part = {
      type: "tool-call",
      id: "c1",
      name: "read_file",
      input: { path: "a.txt" },
      raw: first.calls[0]?.raw,
    };
    const result: Part = { type: "tool-result", callId: "c1", name: "read_file", text: "x".repeat(50), failed: false };
    const messages = [says("user", "Look"), assistant(call), { role: "tool" as const, parts: [result] }];
    const { usage } = await child.chat(aRequest({ messages, tools }));
    // The result and the markers around it.
    expect((usage?.inputTokens ?? 0) - (usage?.reusedTokens ?? 0)).toBeLessThan(50 + 64);
    expect(usage?.reusedTokens).toBeGreaterThan(first.usage?.inputTokens ?? 0);
  });

  test("cannot call when it may not, and its prompt stays the same", async () => {
    const { usage } = await child.chat(asks("Look", { tools }));
    const answer = await child.chat(asks("Look", { tools, toolChoice: "none", maxOutputTokens: 4 }));
    expect(answer).toMatchObject({ calls: [], finish: "length", usage: { inputTokens: usage?.inputTokens } });
    expect(answer.text).not.toContain("tool_call");
    expect(answer.usage?.reusedTokens).toBe((usage?.inputTokens ?? 0) - 1);
  });

  test("cannot begin a call either when it may not", async () => {
    const script = [["\n", "<tool_call>", " read it"]];
    const path = writeGguf(file("begin"), { architecture: "qwen2", chatTemplate: qwenTemplate, script });
    await child.load({ path, toolLevel: "native" });
    expect((await child.chat(asks("Look", { tools, maxOutputTokens: 4 }))).text).toContain("<tool_call> read it");
    const answer = await child.chat(asks("Look", { tools, maxOutputTokens: 4, toolChoice: "none" }));
    expect(answer.text).not.toContain("<tool_call>");
  });

  test("calls also when only its template says how", async () => {
    const { card } = await child.loadFirst({
      path: callingModel(file("template"), "read_file", '{"path": "b", "limit": 2}', "llama"),
    });
    expect(card).toMatchObject({ wrapper: "jinjaTemplate", toolLevel: "native" });
    expect(await child.chat(asks("Look", { tools }))).toMatchObject({
      calls: [{ name: "read_file", input: '{"path":"b","limit":2}', ended: true }],
      finish: "tool_calls",
    });
  });

  test("has not called when its arguments are cut off", async () => {
    await child.load({ path: callingModel(file("long"), "read_file", '{"path": "a'), toolLevel: "native" });
    const { calls, finish } = await child.chat(asks("Look", { tools, maxOutputTokens: 30 }));
    expect({ calls, finish }).toMatchObject({ calls: [{ name: "read_file", ended: false }], finish: "length" });
  });
});

describe("a model without a syntax for tools", () => {
  const forced = (name: string, output: string) =>
    child.load({ path: sayingModel(file(name), [output, "\n\n\n\n"]), toolLevel: "forced" });

  test("answers in one object, of which only the text is told", async () => {
    const { card } = await forced("forced-answer", String.raw`{"answer": "Say \"caf\u00e9\"."}`);
    expect(card.toolLevel).toBe("forced");
    expect(await child.chat(asks("Hi", { tools }))).toMatchObject({ text: 'Say "café".', calls: [], finish: "stop" });
  });

  test("calls in one object", async () => {
    await forced("forced-call", '{"tool": "read_file", "arguments": {"path": "a.txt", "limit": null}}');
    expect(await child.chat(asks("Hi", { tools }))).toMatchObject({
      text: "",
      calls: [{ name: "read_file", input: '{"path":"a.txt"}', ended: true }],
      finish: "tool_calls",
    });
  });

  test("cannot call when it may not", async () => {
    const { calls, finish } = await child.chat(asks("Hi", { tools, toolChoice: "none", maxOutputTokens: 20 }));
    expect({ calls, finish }).toEqual({ calls: [], finish: "length" });
  });

  test("goes on in an answer that has begun", async () => {
    await child.load({
      path: writeGguf(file("forced-on"), { script: [["n", String.raw` \"a\" time"}`, "<|im_end|>"]] }),
      toolLevel: "forced",
    });
    const messages = [says("user", "Tell"), says("assistant", "Once upon")];
    expect(await child.chat(aRequest({ messages, tools }))).toMatchObject({ text: ' "a" time', finish: "stop" });
  });

  test("is not told of tools when it is too small to choose", async () => {
    const { card } = await child.loadFirst({ path: sayingModel(file("named"), ["Yes"]) });
    const [without, withTools] = [await child.chat(asks("Hi")), await child.chat(asks("Hi", { tools }))];
    expect(card.toolLevel).toBe("named");
    expect(withTools.usage?.inputTokens).toBe(without.usage?.inputTokens);
  });
});
