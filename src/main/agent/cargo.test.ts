import { expect, test } from "vitest";
import type { Message, Part } from "../../shared/message.ts";
import { cargoOf, documentsIn } from "./cargo.ts";
import { GAP_RESULT } from "./withheld.ts";

let ids = 0;
const row = (role: Message["role"], parts: readonly Part[], more: Partial<Message> = {}): Message => ({
  ...{ id: ++ids, sessionId: "s", turnId: "t", role, kind: "chat", origin: "model", status: "complete", createdAt: 0 },
  parts,
  ...more,
});
const text = (said: string): Part => ({ type: "text", text: said });
const read = (id: string, path: string, name = "read_file"): Part => ({ type: "tool-call", id, name, input: { path } });
const result = (callId: string, given: string, failed = false): Part => ({
  ...{ type: "tool-result", callId, name: "read_file", text: given, failed },
});

test("a file counts once however often it is read, and only if its text is there", () => {
  const rows = [
    row("assistant", [read("1", "a.txt"), read("2", "a.txt"), read("3", "secret.txt"), read("4", "gone.txt")]),
    row("assistant", [read("5", "late.txt"), read("6", "src", "list_files"), read("7", "result:1")]),
    ...[result("1", "A"), result("2", "A"), result("3", GAP_RESULT), result("4", "Not there.", true)].map((part) =>
      row("tool", [part]),
    ),
    ...[result("6", "b.txt"), result("7", "more")].map((part) => row("tool", [part])),
  ];
  expect(documentsIn(rows)).toEqual(["a.txt"]);
});

test("messages are what was said: no calls, no results, no commands, nothing hidden", () => {
  const rows = [
    row("user", [text("Hello")]),
    row("assistant", [read("1", "a.txt")]),
    row("tool", [result("1", "A")]),
    row("assistant", [text("It says A.")]),
    row("user", [text("/help")], { kind: "command" }),
    row("user", [text("half")], { status: "hidden" }),
    row("assistant", [text("  ")]),
  ];
  expect(cargoOf(rows)).toEqual({ messages: 2, documents: 1 });
});
