import { describe, expect, test } from "vitest";
import { anAgent, answers, aTool } from "../../../tests/support/agent.ts";
import { nextStart } from "../../../tests/support/crashed-turn.ts";
import { calls, type ScriptStep, says, scriptedProvider } from "../../../tests/support/scripted-provider.ts";
import { AppError, type ErrorCode } from "../../shared/errors.ts";
import { textOf } from "../../shared/message.ts";
import { createStore } from "../db/store.ts";

const failure = (code: ErrorCode, retryAfterMs?: number): ScriptStep[] => [
  new AppError(code, `It is ${code}.`, undefined, retryAfterMs),
];
const text = (words: string): ScriptStep => ({ type: "text", text: words });
const silence: ScriptStep = { wait: 60_000 };
type Agent = ReturnType<typeof anAgent>;

const waitsOf = ({ events }: Agent) => events.flatMap((event) => (event.type === "retry" ? [event.wait] : []));
const deltasOf = ({ events }: Agent) => events.flatMap((event) => (event.type === "delta" ? [event] : []));
const notesOf = ({ store }: Agent, turnId: string) => store.trace(turnId).flatMap(({ notes = [] }) => notes);

describe("a request that fails is made again", () => {
  test("until it is answered; each try is told, counted and in the trace", async () => {
    const agent = anAgent({ script: [failure("overloaded"), failure("rate-limited"), says("Paris.")] });
    const { text, turnId } = await agent.say("go");
    expect(text).toBe("Paris.");
    expect(agent.rows()).toEqual(["user complete: go", "assistant complete: Paris."]);
    expect(waitsOf(agent)).toMatchObject([
      { attempt: 2, of: 4, code: "overloaded" },
      { attempt: 3, of: 4, code: "rate-limited" },
    ]);
    expect(agent.store.requests(turnId).map(({ number, error }) => [number, error?.code])).toEqual([
      [1, "overloaded"],
      [2, "rate-limited"],
      [3, undefined],
    ]);
    const notes = notesOf(agent, turnId);
    expect(notes).toContain("try 2 of 4 in 1.0 s: overloaded");
    expect(notes).toContain("try 3 of 4 in 2.0 s: rate-limited");
    expect(notes.filter((note) => note.startsWith("request 1: "))).toHaveLength(3);
  });

  test("three times, and then the last failure is the turn's", async () => {
    const script = ["overloaded", "timeout", "overloaded", "rate-limited"].map((code) => failure(code as ErrorCode));
    const agent = anAgent({ script });
    const ended = await agent.say("go");
    expect(ended).toMatchObject({
      stopReason: "error",
      error: { code: "rate-limited", message: "It is rate-limited." },
    });
    expect(agent.rows()).toEqual(["user complete: go", "assistant incomplete: !rate-limited"]);
    expect(agent.store.requests(ended.turnId)).toHaveLength(4);
  });

  test.each<[ErrorCode, number]>([
    ["offline", 2],
    ["engine-crashed", 2],
    ["quota", 1],
    ["key-refused", 1],
    ["model-gone", 1],
    ["request-refused", 1],
    ["local-mode", 1],
  ])("%s: asked %d times in all", async (code, times) => {
    const agent = anAgent({ model: scriptedProvider([], { afterwards: failure(code) }) });
    expect(await agent.say("go")).toMatchObject({ error: { code } });
    expect(agent.model.requests).toHaveLength(times);
  });

  test("never one whose answer is on the screen: what came is kept, with the error", async () => {
    const agent = anAgent({ script: [[text("Once "), ...failure("provider-failed")]] });
    expect(await agent.say("go")).toMatchObject({ error: { code: "provider-failed" }, text: "Once " });
    expect(agent.model.requests).toHaveLength(1);
    expect(waitsOf(agent)).toEqual([]);
  });

  test("thoughts are no answer: they are hidden, and thought anew", async () => {
    const thinks: ScriptStep = { type: "reasoning", text: "Hm." };
    const agent = anAgent({
      script: [
        [thinks, ...failure("provider-failed")],
        [thinks, ...says("Paris.")],
      ],
    });
    const { turnId } = await agent.say("go");
    const written = agent.store.turnMessages(turnId).filter(({ role }) => role === "assistant");
    expect(written.map(({ status, parts }) => [status, parts])).toEqual([
      ["hidden", [{ type: "reasoning", text: "Hm." }]],
      [
        "complete",
        [
          { type: "reasoning", text: "Hm." },
          { type: "text", text: "Paris." },
        ],
      ],
    ]);
  });

  test("its tries are no iterations: tools and their results stay as they are", async () => {
    const look = aTool("look", answers("a red door"));
    const ask = calls({ name: "look", input: {} });
    const half: ScriptStep[] = [...ask.slice(0, 2), ...failure("provider-failed")];
    const script = [half, ask, failure("overloaded"), failure("overloaded"), says("Red.")];
    const agent = anAgent({ script, tools: [look], settings: { maxIterationsLocal: 2 } });
    const ended = await agent.say("go");
    expect(ended).toMatchObject({ stopReason: "completed", text: "Red." });
    expect(agent.store.calls(ended.turnId).map(({ state }) => state)).toEqual(["finished"]);
    expect(agent.model.requests.at(-1)?.messages).toEqual(agent.model.requests[2]?.messages);
  });

  test("also the summing up at the limit of requests", async () => {
    const look = aTool("look", answers("a red door"));
    const script = [calls({ name: "look", input: {} }), failure("overloaded"), says("So far: red.")];
    const agent = anAgent({ script, tools: [look], settings: { maxIterationsLocal: 1 } });
    expect(await agent.say("go")).toMatchObject({ stopReason: "max_iterations", text: "So far: red." });
  });

  test("what the other side asks for is waited for, and one that asks for too much is not", async () => {
    const agent = anAgent({ script: [failure("rate-limited", 30_000), failure("rate-limited", 61_000)] });
    const ended = await agent.say("go");
    expect(ended).toMatchObject({ stopReason: "error", error: { code: "rate-limited" } });
    expect(notesOf(agent, ended.turnId)).toContain("try 2 of 4 in 30.0 s: rate-limited");
    expect(agent.model.requests).toHaveLength(2);
  });
});

describe("after a silence", () => {
  const quick = { idleSeconds: 0.05 };

  test.each<["in-place" | "by-asking", string[]]>([
    ["in-place", ["The capital of ", "France is Par", "is."]],
    ["by-asking", ["The capital of France is ", "of France is Par", "France is Paris."]],
    ["by-asking", ["The capital of France", "The capital of France", "The capital of France is Paris."]],
  ])("the answer goes on from its last words, %s, in one bubble: %j", async (continues, pieces) => {
    const script = pieces.map((piece, at) => (at < 2 ? [text(piece), silence] : says(piece)));
    const agent = anAgent({ model: scriptedProvider(script, { info: { continues } }), settings: quick });
    const ended = await agent.say("go");
    expect(ended).toMatchObject({ stopReason: "completed", text: "The capital of France is Paris." });
    expect(agent.rows()).toEqual(["user complete: go", "assistant complete: The capital of France is Paris."]);
    expect(new Set(deltasOf(agent).map(({ messageId }) => messageId)).size).toBe(1);
    expect(
      deltasOf(agent)
        .map(({ text }) => text)
        .join(""),
    ).toBe(ended.text);
    expect(waitsOf(agent).map(({ code }) => code)).toEqual(["timeout", "timeout"]);
  });

  test("a try that fails without a word of its own is made again, and the half answer stays", async () => {
    const script = [[text("Once "), silence], failure("overloaded"), says("upon.")];
    const agent = anAgent({ script, settings: quick });
    expect((await agent.say("go")).text).toBe("Once upon.");
  });

  test.each<[string, ScriptStep[]]>([
    ["never begins", [silence]],
    ["stops after a word", [text("x"), silence]],
  ])("one beyond this computer that %s: every try is ended and has its figures", async (_how, reply) => {
    const trip = { ledgerId: 7, host: "api.example", place: "cloud", bodyOut: 9, bodyIn: 0 } as const;
    const sent: ScriptStep = { type: "sent", body: "{}", trip };
    const info = { local: false, to: { host: "api.example", place: "cloud" } } as const;
    const model = scriptedProvider([], { info, afterwards: [sent, ...reply] });
    const agent = anAgent({ model, settings: { requestSeconds: 0.05, idleSeconds: 0.05 } });
    const ended = await agent.say("go");
    expect(ended).toMatchObject({ stopReason: "error", error: { code: "timeout", retryable: true } });
    const requests = agent.store.requests(ended.turnId);
    expect(requests.map(({ error, trip }) => [error?.code, trip?.ledgerId])).toEqual(Array(4).fill(["timeout", 7]));
    expect(agent.store.page("s", { limit: 9 }).every(({ status }) => status !== "streaming")).toBe(true);
  });

  test("an endless one is not gone on with: its time is spent", async () => {
    const endless = (): ScriptStep[] => [text("and "), { wait: 2 }, endless];
    const info = { local: false, to: { host: "api.example", place: "cloud" } } as const;
    const model = scriptedProvider([[endless]], { info });
    const agent = anAgent({ model, settings: { streamSeconds: 0.1 } });
    expect(await agent.say("go")).toMatchObject({ error: { code: "timeout", message: /still writing/ } });
    expect(model.requests).toHaveLength(1);
  });
});

describe("the wait", () => {
  const waiting = () => {
    const agent = anAgent({ patient: true, script: [failure("rate-limited", 60_000), says("Paris.")] });
    const begun = new Promise<void>((resolve) => agent.onEvent((event) => event.type === "retry" && resolve()));
    return { agent, begun };
  };

  test("is ended by the person, who does not want to wait", async () => {
    const { agent, begun } = waiting();
    const ended = agent.say("go");
    await begun;
    expect(agent.model.requests).toHaveLength(1);
    agent.loop.retryNow("s");
    expect(await ended).toMatchObject({ stopReason: "completed", text: "Paris." });
  });

  test("is ended by a stop at once, and nothing is asked any more", async () => {
    const { agent, begun } = waiting();
    const ended = agent.say("go");
    await begun;
    agent.loop.stop("s");
    const { turnId, stopReason } = await ended;
    expect([stopReason, agent.model.requests.length]).toEqual(["aborted", 1]);
    expect(agent.rows()).toEqual(["user complete: go"]);
    expect(agent.store.requests(turnId)).toMatchObject([{ number: 1, error: { code: "rate-limited" } }]);
  });

  test("takes its time by itself", async () => {
    const agent = anAgent({ patient: true, script: [failure("rate-limited", 5), says("Paris.")] });
    expect(await agent.say("go")).toMatchObject({ text: "Paris." });
  });

  test("of another chat, or of none, is not ended", async () => {
    const { agent, begun } = waiting();
    const ended = agent.say("go");
    await begun;
    agent.loop.retryNow("another");
    agent.loop.stop("s");
    expect(await ended).toMatchObject({ stopReason: "aborted" });
    expect(() => agent.loop.retryNow("s")).not.toThrow();
  });

  test("is told with the time at which it ends", async () => {
    const { agent, begun } = waiting();
    const ended = agent.say("go");
    await begun;
    const [wait] = waitsOf(agent);
    const failedAt = agent.store.requests(agent.events.flatMap((e) => ("turnId" in e ? [e.turnId] : []))[0] ?? "")[0];
    expect((wait?.until ?? 0) - 60_000).toBeGreaterThan(failedAt?.startedAt ?? Number.POSITIVE_INFINITY);
    await agent.loop.close();
    await ended;
  });

  test("in which the app dies leaves an interrupted turn; continued, it asks again with the next number", async () => {
    const store = createStore(":memory:");
    const script = [[text("Once "), silence], failure("rate-limited", 60_000)];
    const died = anAgent({ patient: true, store, script, settings: { idleSeconds: 0.05 } });
    void died.say("go");
    await expect.poll(() => waitsOf(died).length).toBe(1);
    died.loop.retryNow("s");
    await expect.poll(() => waitsOf(died).length).toBe(2); // and there it stays
    const [{ id: turnId } = { id: "" }] = store.unfinishedTurns();
    await expect.poll(() => textOf(store.turnMessages(turnId).at(-1)?.parts ?? [])).toBe("Once ");
    const next = nextStart({ store }, { script: [says("upon.")] });
    expect(next.recovered).toMatchObject([{ turnId, what: "interrupted", text: "Once " }]);
    next.recovery.continueTurn(turnId);
    await next.loop.idle();
    expect(next.rows()).toEqual(["user complete: go", "assistant complete: Once upon."]);
    expect(store.requests(turnId).map(({ number, error }) => [number, error?.code])).toEqual([
      [1, "timeout"],
      [2, "rate-limited"],
      [3, undefined],
    ]);
    expect(store.check()).toEqual([]);
  });
});
