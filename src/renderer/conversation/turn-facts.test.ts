import { describe, expect, test } from "vitest";
import type { Message, Part, Usage } from "../../shared/message.ts";
import type { Inbound, ToolCallRecord, ToolCallState, TurnRecord } from "../../shared/turn.ts";
import { startedView } from "../../shared/turn-view.ts";
import type { TurnView } from "../../shared/views.ts";
import {
  answerOf,
  conversationRows,
  mainArgument,
  namesOf,
  openCalls,
  problemOf,
  questionOf,
  resultsOf,
  thoughtMs,
  tokensPerSecond,
} from "./turn-facts.ts";

const inbound: Inbound = { id: "m", sessionId: "s", channel: "page", text: "Why?", state: "saved", createdAt: 0 };
const usage: Usage = { inputTokens: 9, reusedTokens: 0, outputTokens: 40, firstTokenMs: 5, decodeMs: 2_000 };

const row = (parts: Part[], more: Partial<Message> = {}): Message => ({
  id: 1,
  sessionId: "s",
  turnId: "t",
  role: "assistant",
  kind: "chat",
  origin: "model",
  status: "complete",
  parts,
  createdAt: 0,
  ...more,
});

function view(rows: Message[], turn: Partial<TurnRecord> = {}): TurnView {
  const started = startedView(inbound, { turnId: "t", startedAt: 0 });
  return { ...started, rows, turn: { ...started.turn, state: "done", ...turn } };
}

const text = (text: string): Part => ({ type: "text", text });

test("the question is what was sent, or its row where only that is known", () => {
  const asked = row([text("From elsewhere?")], { role: "user" });
  expect(questionOf(view([asked]))).toBe("Why?");
  expect(questionOf({ ...view([asked]), inbound: { ...inbound, text: "" } })).toBe("From elsewhere?");
});

test("the answer is the text of its rows: no hints, no hidden rows, no tools", () => {
  const rows = [
    row([text("user")], { role: "user" }),
    row([text("One."), { type: "tool-call", id: "c", name: "x", input: {} }]),
    row([text("hint")], { kind: "note" }),
    row([text("hidden")], { status: "hidden" }),
    row([{ type: "reasoning", text: "hm" }, text("Two.")]),
  ];
  expect(answerOf(view(rows))).toBe("One.\n\nTwo.");
});

test("results are found by their calls", () => {
  const result = { type: "tool-result", callId: "c", name: "x", text: "42", failed: false } as const;
  expect(resultsOf(view([row([result], { role: "tool" })])).get("c")).toBe(result);
});

const call = (id: string, state: ToolCallState, name = id): ToolCallRecord => ({
  id,
  turnId: "t",
  messageId: 1,
  name,
  class: "once",
  state,
});

test("what a person added stands between the answer before it and the answer after it; the question does not", () => {
  const rows = [
    row([text("Why?")], { id: 1, role: "user" }),
    row([text("So far")], { id: 2 }),
    row([text("hint")], { id: 3, role: "user", kind: "note" }),
    row([text("And this?")], { id: 4, role: "user" }),
    row([text("This too")], { id: 5 }),
  ];
  expect(conversationRows(view(rows)).map(({ id }) => id)).toEqual([2, 4, 5]);
});

test("only calls without a result are asked about: one that was given up has said so itself", () => {
  const result = { type: "tool-result", callId: "slow", name: "slow", text: "unknown", failed: true } as const;
  const calls = [call("a", "finished"), call("slow", "unknown"), call("b", "unknown"), call("c", "requested")];
  const open = openCalls({ ...view([row([result], { role: "tool" })]), calls });
  expect([open.done, open.unknown, open.notStarted].map((list) => namesOf(list))).toEqual(["a", "b", "c"]);
});

test("names of calls say how often", () => {
  expect(namesOf([call("1", "finished", "read"), call("2", "finished", "list"), call("3", "finished", "read")])).toBe(
    "read ×2, list",
  );
  expect(namesOf([])).toBe("");
});

test("the time of thoughts is their share of the decoding", () => {
  expect(thoughtMs(row([{ type: "reasoning", text: "xxx" }, text("y")], { usage }))).toBe(1_500);
  expect(thoughtMs(row([text("y")], { usage }))).toBeUndefined();
  expect(thoughtMs(row([{ type: "reasoning", text: "xxx" }]))).toBeUndefined();
});

test("tokens a second, where there were any", () => {
  expect(tokensPerSecond(view([], { usage }))).toBe(20);
  expect(tokensPerSecond(view([], { usage: { ...usage, decodeMs: 0 } }))).toBeUndefined();
  expect(tokensPerSecond(view([]))).toBeUndefined();
});

describe("a problem", () => {
  const error = { code: "timeout", message: "Nothing came.", retryable: true } as const;
  test("is the turn's own error", () => expect(problemOf(view([], { stopReason: "error", error }))).toBe(error));
  test("is what its rows kept", () => {
    expect(problemOf(view([row([{ type: "error", error }])], { stopReason: "error" }))).toBe(error);
  });
  test("is none for an answer that was stopped", () => {
    expect(problemOf(view([], { stopReason: "aborted", error }))).toBeUndefined();
  });
  test("is none for a whole answer", () => expect(problemOf(view([], { stopReason: "completed" }))).toBeUndefined());
  test("is none for an answer that a crash interrupted: that is decided, not repaired", () => {
    expect(problemOf(view([], { stopReason: "interrupted", error }))).toBeUndefined();
  });
  test("is named even where nothing is known of it", () => {
    expect(problemOf(view([], { stopReason: "error" }))?.code).toBe("internal");
  });
});

test.each([
  [{ path: "a.txt", limit: 3 }, "a.txt"],
  [{ deep: {}, limit: 3 }, "3"],
  [{}, ""],
  ["text", ""],
  [null, ""],
  [{ path: "x".repeat(500) }, "x".repeat(120)],
])("the main argument of %j", (input, expected) => {
  expect(mainArgument(input)).toBe(expected);
});
