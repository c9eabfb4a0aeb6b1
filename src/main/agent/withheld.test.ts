import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../tests/support/stored-turn.ts";
import type { Message, Part } from "../../shared/message.ts";
import { GAP_ANSWER, GAP_RESULT, withhold } from "./withheld.ts";

let id = 0;
const aMessage = (turnId: string, role: Message["role"], ...parts: Part[]): Message => ({
  ...{ id: ++id, sessionId: "s", turnId, role, kind: "chat", origin: "model", status: "complete" },
  ...{ parts, createdAt: 1 },
});
const says = (turnId: string, role: "user" | "assistant", text: string) =>
  aMessage(turnId, role, { type: "text", text });
/** A read of a file, and what came of it. */
const reads = (turnId: string, path: string, text: string, callId = `${turnId}-${path}`) => [
  aMessage(turnId, "assistant", { type: "tool-call", id: callId, name: "read_file", input: { path, why: "asked" } }),
  aMessage(turnId, "tool", { type: "tool-result", callId, name: "read_file", text, failed: false }),
];

function aWorkspace() {
  const workspace = temporaryFolder();
  mkdirSync(join(workspace, "secret"));
  for (const name of ["diary.txt", "open.txt", "secret/plan.txt"]) writeFileSync(join(workspace, name), "");
  symlinkSync(join(workspace, "diary.txt"), join(workspace, "link.txt"));
  const mark = (name: string) => ({ kind: "file", ref: join(workspace, name) }) as const;
  return { workspace, mark, nobody: () => false };
}

test("what was read of a marked file is a gap, and so are the answers that follow; what the person wrote stays", () => {
  const { workspace, mark, nobody } = aWorkspace();
  const rows = [
    says("t1", "user", "What is in my diary?"),
    ...reads("t1", "diary.txt", "CANARY"),
    says("t1", "assistant", "It says CANARY."),
    says("t2", "user", "And again?"),
    says("t2", "assistant", "Still CANARY."),
  ];
  const { rows: kept, gaps } = withhold(rows, { marks: [mark("diary.txt")], workspace, wentOut: nobody });
  expect(JSON.stringify(kept)).not.toContain("CANARY");
  expect(gaps).toBe(3);
  expect(kept.map(({ parts: [part] }) => (part && "text" in part ? part.text : part?.type))).toEqual([
    "What is in my diary?",
    "tool-call",
    GAP_RESULT,
    GAP_ANSWER,
    "And again?",
    GAP_ANSWER,
  ]);
});

test("an answer of a cloud model had the gaps already, and stays", () => {
  const { workspace, mark } = aWorkspace();
  const rows = [...reads("t1", "diary.txt", "x"), says("t2", "user", "Hi"), says("t2", "assistant", "From outside.")];
  const { rows: kept } = withhold(rows, {
    marks: [mark("diary.txt")],
    workspace,
    wentOut: (turnId) => turnId === "t2",
  });
  expect(kept.at(-1)).toEqual(rows.at(-1));
});

test.each([
  ["a link to it", "link.txt"],
  ["a file in a marked folder", "secret/plan.txt"],
  ["a way round", "secret/../diary.txt"],
])("%s is marked too", (_, path) => {
  const { workspace, mark, nobody } = aWorkspace();
  const marks = [mark("diary.txt"), mark("secret")];
  const { rows } = withhold(reads("t", path, "CANARY"), { marks, workspace, wentOut: nobody });
  expect(JSON.stringify(rows[1])).not.toContain("CANARY");
});

test("the rest of a long result is marked with it, and calls after it say no more than their path", () => {
  const { workspace, mark, nobody } = aWorkspace();
  const rows = [...reads("t", "diary.txt", "x"), ...reads("t", "result:abc", "CANARY"), ...reads("t", "open.txt", "y")];
  const { rows: kept } = withhold(rows, { marks: [mark("diary.txt")], workspace, wentOut: nobody });
  expect(JSON.stringify(kept[3])).not.toContain("CANARY");
  expect(kept[4]?.parts).toEqual([
    { type: "tool-call", id: "t-open.txt", name: "read_file", input: { path: "open.txt" } },
  ]);
  expect(kept[5]).toEqual(rows[5]);
});

test("other files and chats without marks are left as they are", () => {
  const { workspace, mark, nobody } = aWorkspace();
  const rows = [...reads("t", "open.txt", "free"), says("t", "assistant", "It is free.")];
  expect(withhold(rows, { marks: [], workspace, wentOut: nobody })).toEqual({ rows, gaps: 0 });
  expect(withhold(rows, { marks: [mark("diary.txt")], workspace, wentOut: nobody })).toEqual({ rows, gaps: 0 });
});
