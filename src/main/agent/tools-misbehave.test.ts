import { describe, expect, test } from "vitest";
import { anAgent, answers, aTool } from "../../../tests/support/agent.ts";
import { calls, says } from "../../../tests/support/scripted-provider.ts";
import type { ToolClass } from "../../shared/turn.ts";
import type { Tool } from "../tools/tool.ts";

const look = aTool("look", answers("a red door"));

/** What a tool does until `over` resolves, or for ever. */
type Bad = (signal: AbortSignal, over: Promise<void>) => ReturnType<Tool["run"]>;

/** A turn that is stopped while its tool runs. */
async function stopped(bad: Bad, toolClass: ToolClass) {
  const { promise: over, resolve: release } = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  const run: Tool["run"] = (_input, { signal }) => {
    began.resolve();
    return bad(signal, over);
  };
  const tools = [look, aTool("bad", run, { class: toolClass, timeoutMs: 60_000 })];
  const asks = calls({ name: "look", input: {} }, { name: "bad", input: {} }, { name: "look", input: { path: "2" } });
  const agent = anAgent({ tools, script: [asks, says("Hello.")] });
  const saying = agent.say("go");
  await began.promise;
  agent.loop.stop("s");
  const ended = await saying;
  return { agent, ended, wasOver: isOver, release, states: agent.store.calls(ended.turnId).map(({ state }) => state) };
}

const done = { text: "done", summary: "done" };
const misbehaviour: ReadonlyArray<[string, Bad]> = [
  ["never returns", () => new Promise(() => undefined)],
  ["goes on as if nothing had been said", (_signal, over) => over.then(() => done)],
  ["breaks long after the stop", (_signal, over) => over.then(() => Promise.reject(new Error("too late")))],
  ["answers a stop with something that is no error", (signal) => when(signal).then(() => Promise.reject("stop!"))],
  ["answers a stop with a result", (signal) => when(signal).then(() => done)],
];

const when = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener("abort", resolve));

describe.each(misbehaviour)("a stop while a tool runs that %s", (_what, bad) => {
  test.each<[ToolClass, string[]]>([
    ["once", ["finished", "unknown", "skipped"]],
    ["idempotent", ["finished", "unknown", "skipped"]],
    ["read", ["finished", "failed", "finished"]], // readers run side by side
  ])("ends the turn before the tool: one that is %s", async (toolClass, expected) => {
    const { agent, ended, wasOver, release, states } = await stopped(bad, toolClass);
    expect([ended.stopReason, wasOver, states]).toEqual(["aborted", false, expected]);

    const rows = agent.rows();
    release();
    await new Promise(setImmediate); // by now it has said what it had to say
    expect(agent.rows()).toEqual(rows);
    expect(agent.store.calls(ended.turnId).map(({ state }) => state)).toEqual(expected);
    expect((await agent.say("and now?")).text).toBe("Hello.");
  });
});

test("a stop that comes first: the tool is never begun", async () => {
  let runs = 0;
  const once = aTool("once", async () => ({ text: `${++runs}`, summary: "" }), { class: "once" });
  const agent = anAgent({ tools: [once], script: [calls({ name: "once", input: {} })] });
  agent.onEvent((event) => {
    if (event.type === "tool" && event.phase === "start") agent.loop.stop("s");
  });
  const { turnId } = await agent.say("go");
  expect([runs, agent.store.calls(turnId).map(({ state }) => state)]).toEqual([0, ["skipped"]]);
  expect(agent.rows().at(-1)).toMatch(/^tool complete: Not run/);
});

describe("a tool that", () => {
  async function outcomeOf(run: Tool["run"]) {
    const agent = anAgent({ tools: [aTool("bad", run)], script: [calls({ name: "bad", input: {} }), says("Well.")] });
    const { turnId, text } = await agent.say("go");
    const [call] = agent.store.calls(turnId);
    return { text, state: call?.state, summary: call?.summary, row: agent.rows()[2] };
  }

  test.each<[string, unknown, string]>([
    ["a text", "no more paper", "no more paper"],
    ["nothing at all", undefined, "undefined"],
    ["an object with a message", { code: -32_000, message: "The server is gone." }, "The server is gone."],
    ["an object without even a name", Object.create(null), "It broke without saying why."],
    ["a cancellation that nobody asked for", new DOMException("Given up.", "AbortError"), "Given up."],
  ])("throws %s has failed, and the model reads why", async (_what, thrown, words) => {
    expect(await outcomeOf(() => Promise.reject(thrown))).toEqual({
      text: "Well.",
      state: "failed",
      summary: words,
      row: `tool complete: ${words}`,
    });
  });

  test("throws before it gives a promise has failed like the others", async () => {
    const outcome = await outcomeOf(() => {
      throw new Error("At once.");
    });
    expect(outcome).toMatchObject({ state: "failed", row: "tool complete: At once." });
  });

  const huge = "x".repeat(200_000_000);

  test("returns 200 MB is cut, in its result and in its summary", async () => {
    const { state, summary, row } = await outcomeOf(async () => ({ text: huge, summary: huge }));
    expect([state, summary?.length, row?.length]).toEqual(["finished", 300, expect.toSatisfy((n) => n < 17_000)]);
  });

  test("fails with 200 MB is cut too", async () => {
    const { state, summary, row } = await outcomeOf(() => Promise.reject(new Error(huge)));
    expect([state, summary?.length, row?.length]).toEqual(["failed", 300, expect.toSatisfy((n) => n < 17_000)]);
  });

  test("returns half a character has it replaced: a provider may refuse the whole prompt for it", async () => {
    const { row } = await outcomeOf(answers("half \ud83d of it"));
    expect(row).toBe("tool complete: half \ufffd of it");
  });
});
