import { expect, test } from "vitest";
import { anAgent, answers, aTool } from "../../../tests/support/agent.ts";
import { calls, type ScriptStep, says, scriptedProvider } from "../../../tests/support/scripted-provider.ts";
import { AppError } from "../../shared/errors.ts";
import type { RequestRecord } from "../../shared/turn.ts";
import { createStore } from "../db/store.ts";

const look = aTool("look", answers("a red door"));
const readA = calls({ name: "look", input: { path: "a" } });
const blank: ScriptStep[] = [{ type: "finish", reason: "stop" }];
const usage = { inputTokens: 9, reusedTokens: 3, outputTokens: 2, firstTokenMs: 4, decodeMs: 5 };

/** An agent whose store can be looked into as a page does. */
function anObserved(options: Parameters<typeof anAgent>[0]) {
  const store = createStore(":memory:");
  return { ...anAgent({ ...options, store }), store };
}

type Agent = ReturnType<typeof anObserved>;

const stored = ({ store }: Agent, turnId: string): readonly RequestRecord[] => store.turnView(turnId)?.requests ?? [];

/** What was told of each request last. */
function toldOf({ events }: Agent, turnId: string): RequestRecord[] {
  const told = new Map<number, RequestRecord>();
  for (const event of events) {
    if (event.type === "request" && event.turnId === turnId) told.set(event.request.number, event.request);
  }
  return [...told.values()];
}

test("each request is told when it begins and when it is over, and stored as it was told and sent", async () => {
  const agent = anObserved({ script: [readA, [{ type: "usage", usage }, ...says("A door.")]], tools: [look] });
  const { turnId } = await agent.say("go");

  const requests = stored(agent, turnId);
  expect(requests).toMatchObject([
    { number: 1, messages: 2, tools: 1, finish: "tool_calls", model: { name: "Scripted", local: true, window: 8192 } },
    { number: 2, messages: 4, tools: 1, finish: "stop", usage },
  ]);
  expect(toldOf(agent, turnId)).toEqual(requests);
  const begun = agent.events.filter((event) => event.type === "request" && event.request.finish === undefined);
  expect(begun).toHaveLength(2);
  for (const { number } of requests) {
    expect(agent.store.sentRequest(turnId, number)).toBe(JSON.stringify(agent.model.requests[number - 1]));
  }
});

test("what is sent can be read while the model works on it", async () => {
  const seen: unknown[] = [];
  const model = scriptedProvider();
  const agent = anObserved({ model });
  model.reply(() => {
    const [turn] = agent.store.unfinishedTurns();
    seen.push(agent.store.sentRequest(turn?.id ?? "", 1));
    return says("yes");
  });
  await agent.say("go");
  expect(seen).toEqual([JSON.stringify(model.requests[0])]);
});

test("while tools run, the request that asked for them is over on disk", async () => {
  const seen: (string | undefined)[] = [];
  const peek = aTool("peek", async () => {
    const [turn] = agent.store.unfinishedTurns();
    seen.push(...stored(agent, turn?.id ?? "").map(({ finish }) => finish));
    return { text: "seen", summary: "seen" };
  });
  const agent = anObserved({ script: [calls({ name: "peek", input: {} }), says("ok")], tools: [peek] });
  await agent.say("go");
  expect(seen).toEqual(["tool_calls"]);
});

test.each<[string, ReadonlyArray<readonly ScriptStep[]>, string[]]>([
  ["a continuation", [says("The capi", "length"), says("tal.")], ["1 length", "2 stop"]],
  ["a blank answer that is asked for again", [blank, says("Here.")], ["1 stop", "2 stop"]],
  [
    "an overflow that the model reports",
    [[new AppError("context-overflow", "long")], says("ok")],
    ["1 error", "2 stop"],
  ],
  ["a failure", [[{ type: "text", text: "half" }, new AppError("provider-failed", "gone")]], ["1 error"]],
])("%s counts on within the turn", async (_what, script, expected) => {
  const agent = anObserved({ script: [says("earlier"), ...script] });
  await agent.say("before");
  const { turnId } = await agent.say("go");
  const requests = stored(agent, turnId);
  expect(requests.map(({ number, finish }) => `${number} ${finish}`)).toEqual(expected);
  expect(toldOf(agent, turnId)).toEqual(requests);
});

test("a request that was stopped says so", async () => {
  const agent = anObserved({ script: [[{ type: "text", text: "half" }, { wait: 5_000 }]] });
  agent.onEvent((event) => event.type === "delta" && agent.loop.stop("s"));
  const { turnId } = await agent.say("go");
  expect(stored(agent, turnId)).toMatchObject([{ number: 1, finish: "aborted" }]);
});

test("a prompt that does not fit is never a request", async () => {
  const agent = anObserved({ model: scriptedProvider([], { info: { window: 600 } }) });
  const { turnId } = await agent.say("x".repeat(9_000));
  expect(stored(agent, turnId)).toEqual([]);
});

test("the workspace of a turn is the one of its beginning", async () => {
  let workspace = "/first";
  const places: string[] = [];
  const where = aTool("where", async (_input, context) => {
    places.push(context.workspace);
    workspace = "/second";
    return { text: "here", summary: "here" };
  });
  const ask = calls({ name: "where", input: {} });
  const script = [ask, ask, says("ok"), ask, says("ok")];
  const agent = anObserved({ script, tools: [where], workspace: () => workspace });
  await agent.say("go");
  await agent.say("go");
  expect(places).toEqual(["/first", "/first", "/second"]);
});
