import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { TurnEvent } from "../../shared/events.ts";
import { createTerminalView } from "./terminal.ts";

const about = { sessionId: "s", turnId: "t" };
const delta = (text: string, messageId = 1): TurnEvent => ({ type: "delta", ...about, messageId, text });
const state: TurnEvent = {
  type: "state",
  ...about,
  state: "restore",
  next: "compact",
  outcome: "ok",
  startedAt: 0,
  ms: 1.5,
};
const tool: TurnEvent = {
  type: "tool",
  ...about,
  callId: "c",
  name: "read_file",
  origin: "named",
  phase: "start",
  input: { path: "a" },
};
const reading: TurnEvent = { type: "progress", ...about, phase: "reading", done: 64, total: 128, reused: 10 };
const ended = (rest: object = {}): TurnEvent => ({
  type: "turn.ended",
  ...about,
  stopReason: "completed",
  text: "",
  ...rest,
});

function aTerminal({ json = false, trace = false, live = false } = {}) {
  const seen = { out: "", aside: "" };
  const output = {
    out: (text: string) => {
      seen.out += text;
    },
    aside: (text: string) => {
      seen.aside += text;
    },
    live,
  };
  const view = createTerminalView({ output, json, trace });
  return (...events: TurnEvent[]) => {
    for (const event of events) view.show(event);
    return seen;
  };
}

describe("for people", () => {
  test("standard output has the answer and nothing else", () => {
    const { out } = aTerminal({ trace: true })(
      state,
      reading,
      tool,
      delta("Hel"),
      delta("lo."),
      ended({ text: "Hello." }),
    );
    expect(out).toBe("Hello.\n");
  });

  test("a second bubble begins on a line of its own", () => {
    expect(aTerminal()(delta("I look."), delta("Red.", 2), ended()).out).toBe("I look.\nRed.\n");
  });

  test("a command's reply was never streamed and is printed whole", () => {
    expect(aTerminal()(ended({ text: "Running: 0.", stopReason: "command" })).out).toBe("Running: 0.\n");
  });

  test("the trace is one line at the end, or with --trace a line as each state is passed", () => {
    expect(aTerminal()(state, ended()).aside).toBe("[restore 2 ms]\n");
    expect(aTerminal({ trace: true })(state, ended()).aside).toBe("  restore ok 1.5 ms\n");
  });

  test("the speed of the answer stands beside it", () => {
    const usage = { inputTokens: 10, reusedTokens: 0, outputTokens: 30, firstTokenMs: 10, decodeMs: 500 };
    expect(aTerminal()(ended({ usage })).aside).toContain("60 tokens/s");
  });

  test("progress is one line that is written over, and only where somebody looks", () => {
    expect(aTerminal()(reading).aside).toBe("");
    expect(aTerminal({ live: true })(reading).aside).toBe("\r\x1b[2KReading: 64 of 128 tokens (10 remembered)");
  });

  const waits = (wait: object): TurnEvent => ({
    type: "retry",
    ...about,
    wait: { attempt: 2, of: 4, until: Date.now() + 4_000, code: "overloaded", ...wait },
  });

  test("a wait before the next try is said with its reason and its length", () => {
    const said = aTerminal()(waits({})).aside;
    expect(said).toBe("The model's side has no room just now. Trying again in 4 s (try 2 of 4).\n");
    expect(aTerminal()(waits({ fallback: "Spare" })).aside).toContain("Asking Spare instead.\n");
  });

  test("and counted down where somebody looks, until something else is said", () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const show = aTerminal({ live: true });
    const line = (seconds: number) => `\r\x1b[2KTrying again in ${seconds} s (try 2 of 4).`;
    expect(show(waits({})).aside).toMatch(line(4));
    vi.advanceTimersByTime(2_000);
    expect(show().aside.endsWith(line(3) + line(2))).toBe(true);
    vi.advanceTimersByTime(3_000);
    expect(show().aside).toMatch(/Trying again \(try 2 of 4\)\.$/);
    const { aside } = show(delta("Paris."));
    expect(aside.endsWith("\r\x1b[2K")).toBe(true);
    vi.advanceTimersByTime(5_000);
    expect(show().aside).toBe(aside);
  });

  test.each([
    [
      { error: { code: "timeout", message: "No sign of life.", retryable: true }, stopReason: "error" },
      "No sign of life.",
    ],
    [
      { error: { code: "aborted", message: "x", retryable: false }, stopReason: "aborted" },
      "Stopped. What was written is kept.",
    ],
    [{ stopReason: "max_iterations" }, "The limit of steps for one message was reached."],
  ])("an end that is not plain is said: %j", (rest, words) => {
    expect(aTerminal()(ended(rest)).aside).toContain(words);
  });

  test("what a tool did is said aside", () => {
    const end: TurnEvent = {
      type: "tool",
      ...about,
      callId: "c",
      name: "read_file",
      origin: "named",
      phase: "end",
      ok: false,
      summary: "no such file",
    };
    expect(aTerminal()(tool, end).aside).toBe(
      '→ read_file {"path":"a"} (named in your message)\n✗ read_file: no such file\n',
    );
  });
});

test("with --json each event is a line, and nothing else is on standard output", () => {
  const { out } = aTerminal({ json: true })(state, delta("Hi"), ended({ text: "Hi" }));
  expect(
    out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([state, delta("Hi"), ended({ text: "Hi" })]);
});

describe("beside the answer is said", () => {
  const goal = (more: object): TurnEvent => ({
    type: "goal",
    ...about,
    goal: {
      sessionId: "s",
      text: "Sort my notes\nby year",
      state: "active",
      budget: { iterations: 50, tokens: 1, minutes: 1 },
      spent: { iterations: 3, tokens: 0, minutes: 0 },
      createdAt: 1,
      updatedAt: 1,
      ...more,
    },
  });
  const message = {
    id: 7,
    sessionId: "s",
    turnId: "t",
    role: "user",
    kind: "chat",
    origin: "model",
    status: "complete",
    parts: [
      { type: "context", text: "It is Tuesday." },
      { type: "text", text: "And in blue, please\n\x1b[2J" },
    ],
    createdAt: 1,
  } as const;
  const checkpoint: TurnEvent = { type: "checkpoint", ...about, phase: "awaiting_tools", iteration: 2, at: 1 };

  test.each<[string, TurnEvent, string]>([
    ["a message that joined it", { type: "injected", ...about, inboundId: "m", message }, "+ And in blue, please\n"],
    ["what is worked towards", goal({}), "Goal active: Sort my notes · 3 of 50 steps\n"],
    [
      "why a goal rests",
      goal({ state: "paused", reason: "budget", note: "half of it is done" }),
      "Goal paused (its budget is spent, half of it is done): Sort my notes · 3 of 50 steps\n",
    ],
    ["a notice", { type: "notice", ...about, code: "info", text: "The window is full." }, "The window is full.\n"],
    [
      "that it goes on after a crash",
      { type: "turn.started", ...about, inboundId: "m", continued: true },
      "Going on with the interrupted answer.\n",
    ],
  ])("%s", (_what, event, line) => {
    expect(aTerminal()(event)).toEqual({ out: "", aside: line });
  });

  test("what is on disk, with --trace", () => {
    expect(aTerminal()(checkpoint).aside).toBe("");
    expect(aTerminal({ trace: true })(checkpoint).aside).toBe("  on disk: awaiting_tools, request 2\n");
  });
});
