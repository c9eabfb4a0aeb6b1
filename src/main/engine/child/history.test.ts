import { describe, expect, test } from "vitest";
import type { PromptMessage } from "../../../shared/inference.ts";
import type { Part } from "../../../shared/message.ts";
import { type HistoryOptions, toChatHistory } from "./history.ts";

const native: HistoryOptions = { level: "native", key: "k1", thoughts: true };
const text = (words: string): Part => ({ type: "text", text: words });
const call = (id: string, raw?: unknown): Part => ({
  type: "tool-call",
  id,
  name: "read_file",
  input: { path: id },
  raw,
});
const thought = (words: string, key?: string): Part => ({
  type: "reasoning",
  text: words,
  ...(key && { raw: { key } }),
});
const result = (callId: string): PromptMessage => ({
  role: "tool",
  parts: [{ type: "tool-result", callId, name: "read_file", text: `text of ${callId}`, failed: false }],
});
const user = (...parts: Part[]): PromptMessage => ({ role: "user", parts });
const assistant = (...parts: Part[]): PromptMessage => ({ role: "assistant", parts });
const called = (id: string, more: object) => ({
  type: "functionCall",
  name: "read_file",
  params: { path: id },
  result: `text of ${id}`,
  ...more,
});

describe("the history for a model", () => {
  test("puts all of a turn into one item, with results at their calls", () => {
    const messages = [
      user(text("Look")),
      assistant(thought("Two files.", "k1"), text("I look."), call("a"), call("b")),
      result("b"),
      result("a"),
      assistant(call("c")),
      result("c"),
      assistant(text("Done.")),
      user(text("Thanks")),
    ];
    expect(toChatHistory(messages, native)).toEqual([
      { type: "user", text: "Look" },
      {
        type: "model",
        response: [
          { type: "segment", segmentType: "thought", text: "Two files.", ended: true },
          "I look.",
          called("a", { startsNewChunk: true }),
          called("b", { startsNewChunk: false }),
          called("c", { startsNewChunk: true }),
          "Done.",
        ],
      },
      { type: "user", text: "Thanks" },
    ]);
  });

  test("shows what Lares adds to a message in the order it was given, and no errors", () => {
    const error: Part = { type: "error", error: { code: "timeout", message: "Too slow", retryable: true } };
    const messages = [
      user(text("Hi"), { type: "context", text: "Today is Monday." }),
      assistant(error),
      user(text("Again")),
    ];
    expect(toChatHistory(messages, native)).toEqual([
      { type: "user", text: "Hi\n\nToday is Monday." },
      { type: "user", text: "Again" },
    ]);
  });

  test("uses a call's own spelling only for the model that wrote it", () => {
    const messages = [assistant(call("a", { key: "k1", text: ["x"] })), result("a")];
    const other = { ...native, key: "k2" };
    expect(toChatHistory(messages, native)).toEqual([
      { type: "model", response: [called("a", { rawCall: ["x"], startsNewChunk: true })] },
    ]);
    expect(toChatHistory(messages, other)).toEqual([
      { type: "model", response: [called("a", { startsNewChunk: true })] },
    ]);
  });

  test("shows no model the thoughts of another one, of this computer or beyond it", () => {
    const cloud: Part = { type: "reasoning", text: "Secret", raw: { key: "cloud", thoughts: [{ text: "Secret" }] } };
    for (const foreign of [thought("Hm", "k2"), thought("Hm"), cloud])
      expect(toChatHistory([assistant(foreign, text("Yes"))], native)).toEqual([{ type: "model", response: ["Yes"] }]);
  });

  test("says in the place of an image that it cannot be seen", () => {
    const image: Part = { type: "image", mediaType: "image/png", data: "AAAA", name: "cat.png" };
    const { name: _, ...nameless } = image;
    expect(toChatHistory([user(text("What is this?"), image, nameless)], native)).toEqual([
      {
        type: "user",
        text: [
          "What is this?",
          "[image: cat.png – this model cannot see images]",
          "[image: without a name – this model cannot see images]",
        ].join("\n\n"),
      },
    ]);
  });

  test("gives a call without a result one that says so", () => {
    const [item] = toChatHistory([assistant(call("a"))], native);
    expect(item).toMatchObject({ response: [{ result: expect.stringContaining("interrupted") }] });
  });

  test("leaves thoughts out where the model has no place for them", () => {
    const messages = [assistant(thought("Hm", "k1"), text("Yes"))];
    expect(toChatHistory(messages, { ...native, thoughts: false })).toEqual([{ type: "model", response: ["Yes"] }]);
  });

  test("ends in an unfinished answer that is to be continued", () => {
    expect(toChatHistory([user(text("Tell")), assistant(text("Once upo"))], native).at(-1)).toEqual({
      type: "model",
      response: ["Once upo"],
    });
  });

  test("of a forced model is in the form it is held to", () => {
    const messages = [
      user(text("Look")),
      assistant(call("a")),
      result("a"),
      assistant(text('It says "x".')),
      user(text("And?")),
    ];
    expect(toChatHistory(messages, { level: "forced", key: "k", thoughts: false })).toEqual([
      { type: "user", text: "Look" },
      { type: "model", response: ['{"tool":"read_file","arguments":{"path":"a"}}'] },
      { type: "user", text: "Result of read_file:\ntext of a" },
      { type: "model", response: [String.raw`{"answer":"It says \"x\"."}`] },
      { type: "user", text: "And?" },
    ]);
  });

  test("of a forced model leaves an unfinished answer open", () => {
    expect(toChatHistory([assistant(text('A "b'))], { level: "forced", key: "k", thoughts: false })).toEqual([
      { type: "model", response: [String.raw`{"answer":"A \"b`] },
    ]);
  });

  test("of a model that never calls shows results and not the calls", () => {
    const messages = [assistant(text("I look."), call("a")), result("a"), assistant(text("Yes"))];
    expect(toChatHistory(messages, { level: "named", key: "k", thoughts: false })).toEqual([
      { type: "model", response: ["I look."] },
      { type: "user", text: "Result of read_file:\ntext of a" },
      { type: "model", response: ["Yes"] },
    ]);
  });
});
