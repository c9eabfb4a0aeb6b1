import { describe, expect, test } from "vitest";
import type { Message, Usage } from "../../shared/message.ts";
import type { RequestRecord, ToolCallRecord, TraceEntry, TurnState } from "../../shared/turn.ts";
import { startedView } from "../../shared/turn-view.ts";
import type { TurnView } from "../../shared/views.ts";
import { stripOf, timelineOf } from "./timeline.ts";

const usage: Usage = { inputTokens: 2010, reusedTokens: 1904, outputTokens: 143, firstTokenMs: 212, decodeMs: 3763 };
const inbound = { id: "i", sessionId: "s", channel: "c", text: "hi", state: "accepted", createdAt: 1000 } as const;
const fresh = startedView(inbound, { turnId: "t", startedAt: 1000 });

const entry = (state: TurnState, startedAt: number, more: Partial<TraceEntry> = {}): TraceEntry => ({
  turnId: "t",
  state,
  outcome: state === "command" ? "dispatch" : "ok",
  startedAt,
  ms: 1,
  ...more,
});
const request = (number: number, startedAt: number, more: Partial<RequestRecord> = {}): RequestRecord => ({
  turnId: "t",
  number,
  startedAt,
  model: { name: "m", local: true, window: 8192 },
  messages: 2,
  tools: 1,
  ...more,
});
const row = (id: number, createdAt: number, more: Partial<Message> = {}): Message => ({
  id,
  sessionId: "s",
  turnId: "t",
  role: "assistant",
  kind: "chat",
  origin: "model",
  status: "complete",
  parts: [],
  createdAt,
  ...more,
});
const call = (id: string, startedAt: number, more: Partial<ToolCallRecord> = {}): ToolCallRecord => ({
  id,
  turnId: "t",
  messageId: 1,
  name: id,
  class: "read",
  state: "finished",
  startedAt,
  ...more,
});
const before = [entry("restore", 1000), entry("compact", 1001), entry("command", 1002), entry("build", 1003)];
const after = [entry("run", 1010, { ms: 4000 }), entry("save", 5010), entry("respond", 5011)];
const done = { ...fresh.turn, state: "done", stopReason: "completed", endedAt: 5012 } as const;
const ended: TurnView = {
  ...fresh,
  turn: done,
  trace: [...before, ...after],
  requests: [
    request(2, 3000, { ms: 2000, finish: "stop", usage }),
    request(1, 1011, { ms: 900, finish: "tool_calls", usage }),
  ],
  rows: [row(1, 1950), row(2, 3100, { finishedAt: 4990 })],
  calls: [call("search", 2000, { endedAt: 2100 }), call("clock", 2050, { endedAt: 2100 })],
};

const partsOf = (view: TurnView) =>
  (timelineOf(view).findLast(({ state }) => state === "run")?.parts ?? []).map((part) => {
    if (part.kind === "step") return `step ${part.number}`;
    return part.kind === "pin" ? part.mark : part.lanes.map(({ name }) => name).join("+");
  });
const factsOf = (view: TurnView, state: TurnState) => timelineOf(view).find((row) => row.state === state)?.facts;

describe("the timeline of a turn", () => {
  test("a finished turn has a row for each state, and the run opens into steps, tools and checkpoints", () => {
    expect(timelineOf(ended).map(({ state, status }) => `${state} ${status}`)).toEqual(
      ["restore", "compact", "command", "build", "run", "save", "respond"].map((state) => `${state} passed`),
    );
    expect(partsOf(ended)).toEqual([
      "awaiting_model",
      "step 1",
      "awaiting_tools",
      "search+clock",
      "tools_completed",
      "awaiting_model",
      "step 2",
      "final_response",
    ]);
  });

  test("a step says its figures, and the prompt is as long as its first request measured it", () => {
    const run = timelineOf(ended).find(({ state }) => state === "run");
    expect(run?.parts.find(({ kind }) => kind === "step")).toMatchObject({
      ms: 900,
      facts: [
        { word: "trace.firstToken", figures: { ms: 212 } },
        { word: "trace.reused", figures: { count: 1904, total: 2010 } },
        { word: "trace.tokens", figures: { count: 143 } },
        { word: "trace.perSecond", figures: { count: 38 } },
      ],
    });
    expect(factsOf(ended, "build")).toContainEqual({ word: "trace.prompt", figures: { count: 2010 } });
  });

  test("tools that ran side by side lie on one scale", () => {
    const tools = timelineOf(ended)
      .flatMap(({ parts }) => parts)
      .find(({ kind }) => kind === "tools");
    expect(tools).toMatchObject({
      lanes: [
        { from: 0, width: 1, ms: 100 },
        { from: 0.5, width: 0.5, ms: 50 },
      ],
    });
  });

  test("a turn that runs has its open state with the steps so far, and what lies ahead", () => {
    const view: TurnView = {
      ...fresh,
      turn: { ...fresh.turn, state: "run" },
      trace: before,
      requests: [request(1, 1011)],
      progress: { phase: "reading", done: 100, total: 400 },
    };
    expect(
      timelineOf(view)
        .map(({ state, status }) => `${state} ${status}`)
        .slice(3),
    ).toEqual(["build passed", "run running", "save ahead", "respond ahead"]);
    const open = timelineOf(view)[4];
    expect(open).toMatchObject({
      startedAt: 1004,
      parts: [{ kind: "pin" }, { kind: "step", number: 1, isLost: false }],
    });
    expect(open?.parts[1]).toMatchObject({ facts: [{ word: "trace.reading", figures: { count: 100, total: 400 } }] });
  });

  test("no checkpoint is shown before its calls have ended", () => {
    const calls = [call("search", 2000, { state: "running" })];
    const view: TurnView = {
      ...ended,
      turn: { ...fresh.turn, state: "run" },
      trace: before,
      calls,
      requests: [request(1, 1011, { ms: 900 })],
    };
    expect(partsOf(view)).toEqual(["awaiting_model", "step 1", "awaiting_tools", "search"]);
  });

  test("files that were named are read before the first step", () => {
    const named = call("read_file", 1010, { endedAt: 1011 });
    const parts = partsOf({ ...ended, calls: [named] });
    expect(parts).toEqual(["read_file", "awaiting_model", "step 1", "awaiting_model", "step 2", "final_response"]);
  });

  test("a prompt that was too long goes round twice, each run with its own steps", () => {
    const again = [
      entry("compact", 2000),
      entry("command", 2001),
      entry("build", 2002),
      entry("run", 2003, { ms: 900 }),
    ];
    const error = { code: "context-overflow", message: "too long", retryable: false } as const;
    const view: TurnView = {
      ...ended,
      trace: [...before, entry("run", 1010, { outcome: "overflow", ms: 900 }), ...again],
      requests: [request(1, 1011, { ms: 5, error }), request(2, 2004, { ms: 800, usage, finish: "stop" })],
      calls: [],
    };
    const runs = timelineOf(view).filter(({ state }) => state === "run");
    expect(runs.map(({ status, parts }) => [status, parts.length])).toEqual([
      ["failed", 2],
      ["passed", 3],
    ]);
    expect(partsOf(view)).toEqual(["awaiting_model", "step 2", "final_response"]);
    expect(stripOf(view).find(({ state }) => state === "run")).toEqual({ state: "run", status: "passed", ms: 1800 });
  });

  test("a request that the end of the app cut off is said to be not finished", () => {
    const view: TurnView = {
      ...ended,
      trace: [...before, entry("run", 1010)],
      requests: [request(1, 1011)],
      calls: [],
    };
    const [, step] = timelineOf(view).find(({ state }) => state === "run")?.parts ?? [];
    expect(step).toMatchObject({ isLost: true, facts: [{ word: "trace.notFinished" }] });
  });

  test("a run that failed says so, with its error and without a last checkpoint", () => {
    const error = { code: "engine-crashed", message: "gone", retryable: true } as const;
    const view: TurnView = {
      ...ended,
      turn: { ...done, stopReason: "error", error },
      trace: [...before, entry("run", 1010, { outcome: "failed", error })],
    };
    const run = timelineOf(view).find(({ state }) => state === "run");
    expect(run).toMatchObject({ status: "failed", error, facts: [{ word: "trace.failed" }] });
    expect(partsOf(view)).not.toContain("final_response");
  });

  test("a run that a crash cut off is there with its steps, and says that it was cut off", () => {
    const view: TurnView = {
      ...ended,
      turn: { ...done, stopReason: "interrupted", recovery: "interrupted" },
      trace: before,
      requests: [request(1, 1011, { ms: 900 })],
      calls: [call("search", 2000, { endedAt: 2100 }), call("letter", 2110, { state: "unknown", endedAt: 9000 })],
    };
    const run = timelineOf(view).at(-1);
    expect(run).toMatchObject({ state: "run", status: "stopped", facts: [{ word: "trace.interrupted" }] });
    expect(run?.ms).toBeUndefined();
    const lanes = run?.parts.flatMap((part) => (part.kind === "tools" ? part.lanes : []));
    expect(lanes?.map(({ name, ms }) => [name, ms])).toEqual([
      ["search", 100],
      ["letter", undefined],
    ]);
    expect(partsOf(view)).toEqual(["awaiting_model", "step 1", "awaiting_tools", "search+letter", "tools_completed"]);
  });

  test("notes of main are said in the words of the page where it has some, and as they are where not", () => {
    const notes = ["request 1: stop, no figures", "12 earlier rows", "something new"];
    const view: TurnView = { ...ended, requests: [], trace: [entry("build", 1003, { notes })] };
    expect(factsOf(view, "build")).toEqual([
      { word: "trace.userRowStored" },
      { word: "trace.earlierRows", figures: { count: 12 } },
      { note: "something new" },
    ]);
  });
});

describe("the strip over an answer", () => {
  test("has seven tags with the times of their passes", () => {
    expect(stripOf(ended).map(({ state, ms }) => `${state} ${ms}`)).toEqual([
      "restore 1",
      "compact 1",
      "command 1",
      "build 1",
      "run 4000",
      "save 1",
      "respond 1",
    ]);
  });

  test("lights the state that runs, with the moment it began", () => {
    const tags = stripOf({ ...fresh, turn: { ...fresh.turn, state: "command" }, trace: before.slice(0, 2) });
    expect(tags[2]).toEqual({ state: "command", status: "running", ms: 0, since: 1002 });
    expect(tags.slice(3).every(({ status }) => status === "ahead")).toBe(true);
  });

  test("a command leaves out what needs a model", () => {
    const trace = [...before.slice(0, 2), entry("command", 1002, { outcome: "shortcut" })];
    const tags = stripOf({ ...ended, trace, requests: [], calls: [] });
    expect(tags.map(({ status }) => status)).toEqual([...Array(3).fill("passed"), ...Array(4).fill("ahead")]);
  });
});
