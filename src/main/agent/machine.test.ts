import { describe, expect, test } from "vitest";
import { anAgent, aTool, modelsOf } from "../../../tests/support/agent.ts";
import { calls, says, scriptedProvider } from "../../../tests/support/scripted-provider.ts";
import { AppError } from "../../shared/errors.ts";
import { turnStates } from "../../shared/turn.ts";
import { runTurn, turnTable } from "./machine.ts";
import { row, type Step, type Turn, type TurnDeps } from "./turn.ts";

const edges = Object.entries(turnTable).flatMap(([from, { next }]) =>
  Object.entries(next).map(([outcome, to]) => ({ from, outcome, to })),
);

describe("the turn table", () => {
  test("is the table of the design, edge by edge", () => {
    expect(edges.filter(({ outcome }) => outcome !== "failed" && outcome !== "aborted")).toEqual([
      { from: "restore", outcome: "ok", to: "compact" },
      { from: "compact", outcome: "ok", to: "command" },
      { from: "command", outcome: "dispatch", to: "build" },
      { from: "command", outcome: "shortcut", to: "done" },
      { from: "build", outcome: "ok", to: "run" },
      { from: "run", outcome: "ok", to: "save" },
      { from: "run", outcome: "overflow", to: "compact" },
      { from: "save", outcome: "ok", to: "respond" },
      { from: "respond", outcome: "ok", to: "done" },
    ]);
  });

  test("every state says what happens when it fails and when it is stopped", () => {
    for (const { next } of Object.values(turnTable))
      expect(next).toMatchObject({ failed: expect.any(String), aborted: expect.any(String) });
  });

  test("every state can be reached, and from every state the end", () => {
    const walk = (start: string, step: (state: string) => string[]) => {
      const seen = new Set([start]);
      for (const state of seen) for (const next of step(state)) seen.add(next);
      return [...seen].sort();
    };
    expect(walk("restore", (state) => edges.filter(({ from }) => from === state).map(({ to }) => to))).toEqual(
      [...turnStates].sort(),
    );
    expect(walk("done", (state) => edges.filter(({ to }) => to === state).map(({ from }) => from))).toEqual(
      [...turnStates].sort(),
    );
  });

  test("where a dead turn goes on is its own column, and not always the same", () => {
    expect(Object.entries(turnTable).map(([state, { resumeAt }]) => `${state} → ${resumeAt}`)).toEqual([
      "restore → restore",
      "compact → restore",
      "command → restore",
      "build → restore",
      "run → run",
      "save → save",
      "respond → respond",
    ]);
  });

  test("a missing edge, an invented edge and an unknown state do not compile", () => {
    const step: Step<"ok" | "overflow"> = async () => ({ outcome: "ok" });
    const whole = { ok: "save", overflow: "compact", failed: "save", aborted: "save" } as const;
    row(step, whole, "run");
    // @ts-expect-error: the step can overflow, and no edge says where that leads
    row(step, { ok: "save", failed: "save", aborted: "save" }, "run");
    // @ts-expect-error: every step can fail
    row(step, { ok: "save", overflow: "compact", aborted: "save" }, "run");
    // @ts-expect-error: this step never says "maybe"
    row(step, { ...whole, maybe: "save" }, "run");
    // @ts-expect-error: there is no such state
    row(step, { ...whole, ok: "finished" }, "run");
    // @ts-expect-error: nothing goes on at its end
    row(step, whole, "done");
    // @ts-expect-error: a table without every state is not one
    const table: typeof turnTable = { restore: turnTable.restore };
    expect(table).toBeDefined();
  });

  test("an outcome without an edge, forced, is an error that names turn, state and outcome", async () => {
    const rogue = { ...turnTable, restore: { ...turnTable.restore, step: async () => ({ outcome: "sideways" }) } };
    const turn: Turn = {
      id: "t9",
      sessionId: "s",
      inboundId: "m",
      input: "hi",
      state: "restore",
      startedAt: 0,
      history: [],
      overflows: 0,
      requests: 0,
    };
    const deps = { now: () => 0, monotonicMs: () => 0 } as unknown as TurnDeps; // it gets no further
    await expect(runTurn(turn, deps, rogue)).rejects.toThrow(
      'Turn t9 in state restore: no edge for the outcome "sideways".',
    );
    const inherited = { ...turnTable, restore: { ...turnTable.restore, step: async () => ({ outcome: "toString" }) } };
    await expect(runTurn(turn, deps, inherited)).rejects.toThrow('no edge for the outcome "toString"');
  });
});

/** The trace of a turn that nothing disturbs. */
const straight = ["restore ok", "compact ok", "command dispatch", "build ok", "run ok", "save ok", "respond ok"];

describe("a turn", () => {
  test("goes through seven states, and its trace is stored", async () => {
    const agent = anAgent({ script: [says("Hello.")] });
    const ended = await agent.say("hi");
    expect(ended).toMatchObject({ stopReason: "completed", text: "Hello." });
    expect(agent.states(ended.turnId)).toEqual(straight);
    expect(agent.rows()).toEqual(["user complete: hi", "assistant complete: Hello."]);
  });

  test("with a slash command goes through three, and the model never hears of it", async () => {
    const agent = anAgent({ script: [says("Hello.")] });
    const ended = await agent.say("/help");
    expect(agent.states(ended.turnId)).toEqual(["restore ok", "compact ok", "command shortcut"]);
    expect(ended.text).toContain("/trace");
    await agent.say("hi");
    expect(JSON.stringify(agent.model.requests[0])).not.toContain("/help");
    expect(agent.rows().slice(0, 2)).toEqual([
      "user command complete: /help",
      expect.stringContaining("assistant command complete: /help"),
    ]);
  });

  test("announces its start and its end once, and nothing after the end", async () => {
    const agent = anAgent({ script: [says("Hello.")] });
    const { turnId } = await agent.say("hi");
    await agent.loop.idle();
    const types = agent.events.filter((event) => "turnId" in event && event.turnId === turnId).map(({ type }) => type);
    expect(types.filter((type) => type === "turn.started" || type === "turn.ended")).toEqual([
      "turn.started",
      "turn.ended",
    ]);
    expect(types.at(-1)).toBe("turn.ended");
  });

  test("that overflows is shortened once and answered", async () => {
    const tooLong = new AppError("context-overflow", "too long");
    const agent = anAgent({ script: [[tooLong], says("Fine.")] });
    const ended = await agent.say("hi");
    expect(ended).toMatchObject({ stopReason: "completed", text: "Fine." });
    expect(agent.states(ended.turnId)).toEqual([...straight.slice(0, 4), "run overflow", ...straight.slice(1)]);
    expect(agent.rows()).toEqual(["user complete: hi", "assistant complete: Fine."]);
  });

  test("that overflows goes on with the settings it began with", async () => {
    let maxOutputTokens = 100;
    const tooLong = () => {
      maxOutputTokens = 50;
      return new AppError("context-overflow", "too long");
    };
    const agent = anAgent({ script: [[tooLong], says("Fine.")], settingsOf: () => ({ maxOutputTokens }) });
    await agent.say("hi");
    expect(agent.model.requests.map((request) => request.maxOutputTokens)).toEqual([100, 100]);
  });

  test("is no longer pending as soon as its answer is whole", async () => {
    const agent = anAgent({ script: [says("Hello.")] });
    const seen: string[] = [];
    agent.onEvent((event) => {
      if (event.type === "state" && event.state === "run") seen.push(...agent.rows());
    });
    await agent.say("hi");
    expect(seen).toEqual(["user complete: hi", "assistant complete: Hello."]);
  });

  test("says nothing after its end, whoever still has something to tell", async () => {
    const provider = async (_wanted: unknown, _signal: unknown, onFetch: (done: number, total: number) => void) => {
      setTimeout(() => onFetch(1, 2), 10);
      throw new AppError("offline", "No network.");
    };
    const agent = anAgent({ models: { ...modelsOf(scriptedProvider()), provider } });
    await agent.say("hi");
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(agent.events.at(-1)?.type).toBe("turn.ended");
  });

  test("that overflows twice says so, and the message is kept", async () => {
    const tooLong = new AppError("context-overflow", "too long");
    const agent = anAgent({ script: [[tooLong], [tooLong]] });
    const ended = await agent.say("hi");
    expect(ended).toMatchObject({ stopReason: "error", error: { code: "context-overflow" } });
    expect(agent.rows()).toEqual(["user complete: hi", "assistant incomplete: !context-overflow"]);
  });

  test("without a model keeps what was typed and says what is missing", async () => {
    const provider = async () => {
      throw new AppError("model-missing", "No model is chosen.");
    };
    const agent = anAgent({ models: { ...modelsOf(scriptedProvider()), provider } });
    const ended = await agent.say("hi");
    expect(ended).toMatchObject({ stopReason: "error", error: { code: "model-missing" } });
    expect(agent.states(ended.turnId)).toEqual([
      "restore ok",
      "compact ok",
      "command dispatch",
      "build failed",
      "save ok",
      "respond ok",
    ]);
    expect(agent.rows()).toEqual(["user complete: hi", "assistant incomplete: !model-missing"]);
  });

  test("settings that change while it runs touch the next one only", async () => {
    let maxOutputTokens = 100;
    const lower = aTool("lower", async () => {
      maxOutputTokens = 50;
      return { text: "done", summary: "done" };
    });
    const model = scriptedProvider([calls({ name: "lower", input: {} }), says("one"), says("two")]);
    const agent = anAgent({ model, tools: [lower], settingsOf: () => ({ maxOutputTokens }) });
    await agent.say("hi");
    await agent.say("again");
    expect(model.requests.map((request) => request.maxOutputTokens)).toEqual([100, 100, 50]);
  });
});
