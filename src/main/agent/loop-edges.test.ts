import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { anAgent, answers, aTool, type Ended, modelsOf } from "../../../tests/support/agent.ts";
import { aCrash, nextStart } from "../../../tests/support/crashed-turn.ts";
import { aGate } from "../../../tests/support/desk.ts";
import { calls, says, scriptedProvider } from "../../../tests/support/scripted-provider.ts";
import { AppError } from "../../shared/errors.ts";

const DAY = 86_400_000;
const cancelled = () => new DOMException("Given up.", "AbortError");

describe("a cancellation that leaks out of a turn does not end the loop", () => {
  const hello = () => scriptedProvider([says("Hello.")]);
  test("of a provider", async () => {
    const model = hello();
    let failed = false;
    const provider = async () => {
      if (failed) return model;
      failed = true;
      throw cancelled();
    };
    const agent = anAgent({ models: { ...modelsOf(model), provider } });
    expect((await agent.say("one")).stopReason).toBe("aborted");
    expect(await agent.say("two")).toMatchObject({ stopReason: "completed", text: "Hello." });
  });

  test("of a stream", async () => {
    const broken = () => Promise.reject(cancelled());
    const agent = anAgent({ script: [[broken], says("Hello.")] });
    await agent.say("one");
    expect(await agent.say("two")).toMatchObject({ stopReason: "completed", text: "Hello." });
  });

  test("of a tool", async () => {
    const tools = [aTool("look", () => Promise.reject(cancelled()))];
    const agent = anAgent({ tools, script: [calls({ name: "look", input: {} }), says("Gone."), says("Hello.")] });
    expect(await agent.say("one")).toMatchObject({ stopReason: "completed", text: "Gone." });
    expect(await agent.say("two")).toMatchObject({ stopReason: "completed", text: "Hello." });
  });
});

test.each(["window", "browser", "terminal", "a channel of later"])(
  "a command that cannot wait is answered during a turn, from %s",
  async (channel) => {
    const { step, reached, open } = aGate();
    const agent = anAgent({ script: [[step, ...says("done")]] });
    const working = agent.say("work");
    await reached;
    const answered = new Promise<Ended>((resolve) =>
      agent.onEvent((event) => event.type === "turn.ended" && resolve(event)),
    );
    agent.loop.accept({ id: "status", channel, sessionId: "s", text: "/status" });
    expect((await answered).text).toMatch(/Running: 1/);
    open();
    expect((await working).text).toBe("done");
  },
);

describe("the end of a turn is announced exactly once, and nothing after it carries its id", () => {
  const half = [{ type: "text", text: "Half" } as const, { wait: 60_000 }];
  test.each([
    ["a whole answer", [says("Hello.")], "completed"],
    ["an error", [[new AppError("request-refused", "No.")]], "error"],
    ["a stop", [half], "aborted"],
  ])("after %s", async (_what, script, stopReason) => {
    const agent = anAgent({ script });
    agent.onEvent((event) => {
      if (event.type === "delta" && event.text === "Half") agent.loop.stop("s");
    });
    const { turnId, ...ended } = await agent.say("hi");
    await agent.loop.idle();
    await wait(5); // whoever has a word more says it now
    expect(ended.stopReason).toBe(stopReason);
    endsOnce(agent.events, turnId);
  });

  test("after going on from a crash", async () => {
    const crash = aCrash();
    crash.asked();
    crash.half("Once");
    const agent = nextStart(crash, { script: [says(" upon a time.")] });
    agent.recovery.continueTurn("t");
    await agent.loop.idle();
    endsOnce(agent.events, "t");
  });
});

function endsOnce(events: ReturnType<typeof anAgent>["events"], turnId: string): void {
  const types = events.filter((event) => "turnId" in event && event.turnId === turnId).map(({ type }) => type);
  expect(types.filter((type) => type === "turn.ended")).toHaveLength(1);
  expect(types.at(-1)).toBe("turn.ended");
}

test("a stopped turn is in the next one's prompt as it was left", async () => {
  const agent = anAgent({ script: [[{ type: "text", text: "Once upon" }, { wait: 60_000 }], says("Hello.")] });
  agent.onEvent((event) => {
    if (event.type === "delta" && event.text === "Once upon") agent.loop.stop("s");
  });
  await agent.say("tell");
  await agent.say("hi");
  const told = agent.model.requests[1]?.messages.slice(1).map(({ role, parts }) => [role, JSON.stringify(parts)]);
  expect(told).toEqual([
    ["user", expect.stringContaining("tell")],
    ["assistant", expect.stringContaining("Once upon")],
    ["user", expect.stringContaining("hi")],
  ]);
});

test("a cut answer that is stopped while it goes on is one row, incomplete", async () => {
  const agent = anAgent({ script: [says("Once", "length"), [{ type: "text", text: " upon" }, { wait: 60_000 }]] });
  agent.onEvent((event) => {
    if (event.type === "delta" && event.text === " upon") agent.loop.stop("s");
  });
  expect(await agent.say("tell")).toMatchObject({ stopReason: "aborted", text: "Once upon" });
  expect(agent.rows()).toEqual(["user complete: tell", "assistant incomplete: Once upon"]);
});

test("the summing up at the limit of requests streams once, in a bubble of its own", async () => {
  const agent = anAgent({
    tools: [aTool("look", answers("red"))],
    script: [calls({ name: "look", input: {} }), says("So far: red.")],
    settings: { maxIterationsLocal: 1 },
  });
  await agent.say("go");
  const deltas = agent.events.flatMap((event) => (event.type === "delta" ? [event] : []));
  expect(deltas.map(({ text }) => text).join("")).toBe("So far: red.");
  expect(new Set(deltas.map(({ messageId }) => messageId)).size).toBe(1);
});

test("two chats are answered at once by two models", async () => {
  const small = aGate();
  const models = new Map([
    ["small", scriptedProvider([[small.step, ...says("I am small.")]])],
    ["large", scriptedProvider([says("I am large.")])],
  ]);
  const provider = async ({ model = "" }: { model?: string }) => models.get(model) ?? scriptedProvider();
  const agent = anAgent({ models: { ...modelsOf(scriptedProvider()), provider } });
  await agent.say("/model small", "a");
  await agent.say("/model large", "b");
  const slow = agent.say("who?", "a");
  await small.reached;
  expect((await agent.say("who?", "b")).text).toBe("I am large.");
  small.open();
  expect((await slow).text).toBe("I am small.");
});

test.each([
  ["back", -DAY],
  ["ahead", DAY],
])("the clock jumps a day %s: the order stays, and so do the time limits", async (_where, jump) => {
  let time = 10 * DAY;
  const tools = [aTool("look", answers("red"))];
  const script = [says("One."), calls({ name: "look", input: {} }), says("Two."), says("Three.")];
  const agent = anAgent({ tools, script, now: () => (time += jump) });
  for (const text of ["1", "2", "3"]) expect((await agent.say(text)).stopReason).toBe("completed");
  expect(agent.rows().map((row) => row.replace(/ .*: /, " "))).toEqual([
    "user 1",
    "assistant One.",
    "user 2",
    `assistant look({})`,
    "tool red",
    "assistant Two.",
    "user 3",
    "assistant Three.",
  ]);
});
