import { expect, test } from "vitest";
import type { Message, Part } from "../../shared/message.ts";
import { countedText } from "./tokens.ts";
import { toPrompt } from "./transcript.ts";

let ids = 0;
const aRow = (row: Partial<Message>): Message => ({
  id: ++ids,
  sessionId: "s",
  turnId: "t1",
  role: "user",
  kind: "chat",
  origin: "model",
  status: "complete",
  parts: [],
  createdAt: 0,
  ...row,
});
const text = (value: string): Part => ({ type: "text", text: value });
const call = (id: string): Part => ({ type: "tool-call", id, name: "read_file", input: { path: `${id}.txt` } });
const result = (callId: string): Part => ({
  type: "tool-result",
  callId,
  name: "read_file",
  text: `in ${callId}`,
  failed: false,
});
const spoken = (rows: Message[], turnId?: string) =>
  toPrompt(rows, turnId).map(({ role, parts }) => `${role}: ${countedText(parts)}`);

test("the user's words come last in their message, after what Lares adds", () => {
  const parts: Part[] = [{ type: "context", text: "Today is Monday." }, text("What day is it?")];
  expect(spoken([aRow({ parts })])).toEqual(["user: Today is Monday.\n\nWhat day is it?"]);
});

test("commands are never replayed, notes only in their own turn", () => {
  const rows = [
    aRow({ kind: "command", parts: [text("/help")] }),
    aRow({ parts: [text("hi")] }),
    aRow({ kind: "note", status: "hidden", parts: [text("say it in words")] }),
    aRow({ role: "assistant", status: "hidden", parts: [text("  ")] }),
  ];
  expect(spoken(rows)).toEqual(["user: hi"]);
  expect(spoken(rows, "t1")).toEqual(["user: hi\n\nsay it in words"]);
});

test("results stand in the order of their calls, whatever finished first", () => {
  const rows = [
    aRow({ parts: [text("compare")] }),
    aRow({ role: "assistant", parts: [call("a"), call("b")] }),
    aRow({ role: "tool", parts: [result("b")] }),
    aRow({ role: "tool", parts: [result("a")] }),
  ];
  expect(spoken(rows).slice(2)).toEqual(["tool: in a", "tool: in b"]);
});

test("what was read for the user stands in the user's message, before the question", () => {
  const rows = [
    aRow({ parts: [text("What does a.txt say?")] }),
    aRow({ role: "assistant", origin: "named", parts: [call("a")] }),
    aRow({ role: "tool", parts: [result("a")] }),
    aRow({ role: "assistant", parts: [text("It says: in a")] }),
  ];
  expect(spoken(rows)).toEqual(["user: ```a.txt\nin a\n```\n\nWhat does a.txt say?", "assistant: It says: in a"]);
});

test("a file that could not be read is said to be that, and shows nothing as its content", () => {
  const failed: Part = { type: "tool-result", callId: "a", name: "read_file", text: "It is a link.", failed: true };
  const rows = [
    aRow({ parts: [text("What does a.txt say?")] }),
    aRow({ role: "assistant", origin: "named", parts: [call("a")] }),
    aRow({ role: "tool", parts: [failed] }),
  ];
  expect(spoken(rows)).toEqual(["user: (The file a.txt could not be read: It is a link.)\n\nWhat does a.txt say?"]);
});

test("an answer and its continuation are one message, and a break is said", () => {
  const error: Part = {
    type: "error",
    error: { code: "engine-crashed", message: "The engine stopped.", retryable: true },
  };
  const rows = [
    aRow({ parts: [text("go on")] }),
    aRow({ role: "assistant", status: "incomplete", parts: [text("Once"), error] }),
    aRow({ role: "assistant", parts: [text(" upon")] }),
  ];
  expect(spoken(rows)).toEqual(["user: go on", "assistant: Once\n […]\n upon"]);
});

test("a question that was never answered stands with the next one, and no error is replayed", () => {
  const error: Part = { type: "error", error: { code: "model-missing", message: "No model.", retryable: false } };
  const rows = [
    aRow({ parts: [text("one?")] }),
    aRow({ role: "assistant", status: "incomplete", parts: [error] }),
    aRow({ turnId: "t2", parts: [text("two?")] }),
  ];
  expect(spoken(rows)).toEqual(["user: one?\n\ntwo?"]);
});

test("the same rows always give the same prompt", () => {
  const rows = [aRow({ parts: [text("hi")] }), aRow({ role: "assistant", parts: [text("hello")] })];
  expect(JSON.stringify(toPrompt(rows))).toBe(
    JSON.stringify(toPrompt([...rows, aRow({ kind: "command", parts: [] })])),
  );
});
