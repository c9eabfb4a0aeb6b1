import { expect, test } from "vitest";
import type { TurnEvent } from "./events.ts";
import { textOf } from "./message.ts";
import type { Inbound, RequestRecord } from "./turn.ts";
import { applyTurnEvent, startedView } from "./turn-view.ts";

const inbound: Inbound = { id: "m", sessionId: "s", channel: "window", text: "hi", state: "accepted", createdAt: 1 };
const about = { sessionId: "s", turnId: "t" } as const;
const start = startedView(inbound, { turnId: "t", startedAt: 5 });
const after = (...events: TurnEvent[]) => events.reduce(applyTurnEvent, start);
const request: RequestRecord = {
  turnId: "t",
  number: 1,
  startedAt: 10,
  model: { name: "Scripted", local: true, window: 8192 },
  messages: 2,
  tools: 0,
};

test("text grows in the row it belongs to, and a new row begins where its id is new", () => {
  const view = after(
    { type: "reasoning", ...about, messageId: 1, text: "hm" },
    { type: "delta", ...about, messageId: 1, text: "Hel" },
    { type: "delta", ...about, messageId: 1, text: "lo" },
    { type: "delta", ...about, messageId: 2, text: "again" },
  );
  expect(view.rows.map(({ id, parts }) => [id, parts.length, textOf(parts)])).toEqual([
    [1, 2, "Hello"],
    [2, 1, "again"],
  ]);
});

test("a state that was passed is in the trace, and the turn is in the one after it", () => {
  const view = after({
    type: "state",
    ...about,
    next: "compact",
    state: "restore",
    outcome: "ok",
    startedAt: 5,
    ms: 2,
  });
  expect(view.turn.state).toBe("compact");
  expect(view.trace).toEqual([{ turnId: "t", state: "restore", outcome: "ok", startedAt: 5, ms: 2 }]);
});

test("a request is told twice and stands there once, with its figures", () => {
  const view = after(
    { type: "request", ...about, request },
    { type: "request", ...about, request: { ...request, ms: 40, finish: "stop" } },
  );
  expect(view.requests).toEqual([{ ...request, ms: 40, finish: "stop" }]);
});

test("a call has its card in the row written last, and its end changes the call only", () => {
  const tool = { type: "tool", ...about, callId: "c", name: "read_file", origin: "model" } as const;
  const view = after(
    { type: "delta", ...about, messageId: 7, text: "Let me look." },
    { ...tool, phase: "start", input: { path: "a.txt" } },
    { ...tool, phase: "end", ok: true, summary: "12 lines", ms: 30 },
  );
  expect(view.rows).toHaveLength(1);
  expect(view.rows[0]?.parts.at(-1)).toEqual({
    type: "tool-call",
    id: "c",
    name: "read_file",
    input: { path: "a.txt" },
  });
  expect(view.calls).toMatchObject([{ id: "c", state: "finished", summary: "12 lines", startedAt: 5, endedAt: 35 }]);
});

test("progress is shown until something comes of it", () => {
  const reading = { type: "progress", ...about, phase: "reading", done: 10, total: 40 } as const;
  expect(after(reading).progress).toEqual({ phase: "reading", done: 10, total: 40 });
  expect(after(reading, { type: "delta", ...about, messageId: 1, text: "A" }).progress).toBeUndefined();
});

test("the end is the turn's, and what was written stays", () => {
  const view = after(
    { type: "delta", ...about, messageId: 1, text: "half" },
    { type: "turn.ended", ...about, stopReason: "aborted", text: "half" },
  );
  expect(view.turn).toMatchObject({ state: "done", stopReason: "aborted" });
  expect(textOf(view.rows[0]?.parts ?? [])).toBe("half");
});
