import { describe, expect, test } from "vitest";
import { anAgent, answers, aTool } from "../../../tests/support/agent.ts";
import { calls, says, scriptedProvider } from "../../../tests/support/scripted-provider.ts";
import { AppError } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/events.ts";

type Agent = ReturnType<typeof anAgent>;

const send = ({ loop }: Agent, text: string, id = text) => loop.accept({ id, channel: "test", sessionId: "s", text });
const look = aTool("look", answers("seen"));

/** Sends these messages the first time that an event is of this kind. */
function when(agent: Agent, isMoment: (event: TurnEvent) => boolean, ...texts: string[]): void {
  let sent = false;
  agent.onEvent((event) => {
    if (sent || !isMoment(event)) return;
    sent = true;
    for (const text of texts) send(agent, text);
  });
}

const delta = ({ type }: TurnEvent) => type === "delta";
const toolStart = (event: TurnEvent) => event.type === "tool" && event.phase === "start";
const users = (agent: Agent) => agent.rows().filter((row) => row.startsWith("user complete"));
const turns = (agent: Agent) => agent.events.filter(({ type }) => type === "turn.started").length;

describe("a message for a chat that is busy joins the running turn", () => {
  test("after tools: the model reads it with their results", async () => {
    const agent = anAgent({ tools: [look], script: [calls({ name: "look", input: {} }), says("Both done.")] });
    when(agent, toolStart, "and that too");
    await agent.say("do this");
    expect(agent.rows()).toEqual([
      "user complete: do this",
      "assistant complete: look({})",
      "tool complete: seen",
      "user complete: and that too",
      "assistant complete: Both done.",
    ]);
    expect(agent.model.requests[1]?.messages.at(-1)).toMatchObject({ role: "user" });
    expect(turns(agent)).toBe(1);
  });

  test("after a final answer: the answer stays as it is, and the turn goes on below it", async () => {
    const agent = anAgent({ script: [says("One."), says("Two.")] });
    when(agent, delta, "and then?");
    const ended = await agent.say("first");
    expect(ended.text).toBe("Two.");
    expect(agent.rows()).toEqual([
      "user complete: first",
      "assistant complete: One.",
      "user complete: and then?",
      "assistant complete: Two.",
    ]);
    expect(agent.model.requests[1]?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
  });

  test("after tools that failed, as after others", async () => {
    const breaks = aTool("look", () => Promise.reject(new AppError("tool-failed", "No light.")));
    const agent = anAgent({ tools: [breaks], script: [calls({ name: "look", input: {} }), says("Both.")] });
    when(agent, toolStart, "and that too");
    await agent.say("do this");
    expect(agent.rows().slice(2)).toEqual([
      "tool complete: No light.",
      "user complete: and that too",
      "assistant complete: Both.",
    ]);
  });

  test("after a provider error: the error is kept, and the follow-up is answered", async () => {
    const broken = [{ type: "text", text: "Half" } as const, new AppError("provider-failed", "It broke off.")];
    const agent = anAgent({ script: [broken, says("Now.")] });
    when(agent, delta, "again?");
    await agent.say("first");
    expect(agent.rows().slice(1)).toEqual([
      "assistant incomplete: Half !provider-failed",
      "user complete: again?",
      "assistant complete: Now.",
    ]);
  });

  test.each(["quota", "context-overflow"] as const)("not after %s: it waits for its own turn", async (code) => {
    const agent = anAgent({ script: [[{ type: "text", text: "x" }, new AppError(code, "No.")], says("Later.")] });
    when(agent, delta, "again?");
    await agent.say("first");
    await agent.loop.idle();
    expect(turns(agent)).toBe(2);
  });

  test("at the iteration limit it is taken in before the summing up", async () => {
    const agent = anAgent({
      tools: [look],
      settings: { maxIterationsLocal: 1 },
      script: [calls({ name: "look", input: {} }), says("That is all.")],
    });
    agent.onEvent((event) => {
      if (event.type === "checkpoint" && event.phase === "tools_completed") send(agent, "one more");
    });
    const { stopReason } = await agent.say("first");
    expect(stopReason).toBe("max_iterations");
    expect(users(agent)).toEqual(["user complete: first", "user complete: one more"]);
    expect(turns(agent)).toBe(1);
  });

  test("during the summing up: it has a turn of its own", async () => {
    const agent = anAgent({
      tools: [look],
      settings: { maxIterationsLocal: 1 },
      script: [calls({ name: "look", input: {} }), says("That is all."), says("Later.")],
    });
    when(agent, delta, "one more");
    await agent.say("first");
    await agent.loop.idle();
    expect(turns(agent)).toBe(2);
  });

  test("at most three at a time and five times in a turn; the rest follow in order", async () => {
    const agent = anAgent({ model: scriptedProvider([], { afterwards: [{ wait: 2 }, ...says("ok")] }) });
    for (let n = 0; n < 21; n++) send(agent, `message ${n}`);
    await agent.loop.idle();
    const taken = agent.events.filter(({ type }) => type === "injected").length;
    expect([turns(agent), taken]).toEqual([2, 19]);
    expect(users(agent)).toEqual(Array.from({ length: 21 }, (_, n) => `user complete: message ${n}`));
  });

  test("commands, what asks a turn again, and what is behind them wait for their own turn", async () => {
    const agent = anAgent({ script: [says("One."), says("Two.")] });
    when(agent, delta, "/help", "behind it");
    await agent.say("first");
    await agent.loop.idle();
    expect(agent.events.filter(({ type }) => type === "injected")).toEqual([]);
    expect(users(agent)).toEqual(["user complete: first", "user complete: behind it"]);
  });

  test("what is to be answered after the running turn waits, and what is behind it may join", async () => {
    const agent = anAgent({ script: [says("One."), says("Two."), says("Three.")] });
    agent.onEvent((event) => {
      if (event.type !== "delta" || event.text !== "One.") return;
      send(agent, "later");
      agent.wholeStore.setAfter("later", true);
      send(agent, "now");
    });
    await agent.say("first");
    await agent.loop.idle();
    expect(users(agent)).toEqual(["user complete: first", "user complete: now", "user complete: later"]);
    expect(turns(agent)).toBe(2);
  });

  test("its state is on disk at each step: accepted, injected, saved", async () => {
    const agent = anAgent({ script: [says("One."), says("Two.")] });
    const states: unknown[] = [];
    agent.onEvent((event) => {
      if (event.type === "delta" && event.text === "One.") send(agent, "and?");
      if (event.type === "delta") states.push(agent.store.inbound("and?")?.state);
    });
    await agent.say("first");
    expect([...states, agent.store.inbound("and?")?.state]).toEqual(["accepted", "injected", "saved"]);
  });
});

describe("nothing is lost, doubled or re-ordered", () => {
  test("whatever the moment at which a message comes", async () => {
    const script = () => [calls({ name: "look", input: {} }), says("One."), says("Two."), says("Three.")];
    const counted = anAgent({ tools: [look], script: script() });
    await counted.say("first");
    for (let moment = 0; moment < counted.events.length; moment++) {
      const agent = anAgent({ tools: [look], script: script() });
      let seen = 0;
      agent.onEvent(() => {
        if (seen++ === moment) for (const text of ["second", "third"]) send(agent, text);
      });
      await agent.say("first");
      await agent.loop.idle();
      expect(users(agent), `at event ${moment}`).toEqual([
        "user complete: first",
        "user complete: second",
        "user complete: third",
      ]);
      expect(agent.store.sessionsWaiting()).toEqual([]);
    }
  });

  test("by a stop: what waits becomes drafts, what had joined stays in the turn", async () => {
    const agent = anAgent({ script: [says("One."), [{ type: "text", text: "Two" }, { wait: 60_000 }]] });
    agent.onEvent((event) => {
      if (event.type === "delta" && event.text === "One.") send(agent, "joins");
      if (event.type !== "delta" || event.text !== "Two") return;
      send(agent, "waits");
      agent.loop.stop("s");
    });
    await agent.say("first");
    expect(users(agent)).toEqual(["user complete: first", "user complete: joins"]);
    expect(agent.store.inbound("waits")?.state).toBe("draft");
  });
});

describe("a question of the model", () => {
  test("is the answer, and the turn ends with it", async () => {
    const { askUserTool } = await import("../tools/ask-user.ts");
    const ask = calls({ name: "ask_user", input: { question: "Which of the two?" } });
    const agent = anAgent({ tools: [askUserTool], script: [ask, says("Thanks.")] });
    expect(await agent.say("do it")).toMatchObject({ stopReason: "needs_user", text: "Which of the two?" });
    await agent.say("the second");
    const prompt = agent.model.requests[1]?.messages.map(({ role }) => role);
    expect(prompt).toEqual(["system", "user", "assistant", "tool", "assistant", "user"]);
    expect(agent.rows().at(-1)).toBe("assistant complete: Thanks.");
  });
});
