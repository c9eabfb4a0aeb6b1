import { describe, expect, test } from "vitest";
import { anAgent, answers, aTool } from "../../../tests/support/agent.ts";
import { aCrash, nextStart } from "../../../tests/support/crashed-turn.ts";
import { calls, says, scriptedProvider } from "../../../tests/support/scripted-provider.ts";
import { AppError } from "../../shared/errors.ts";
import { Settings } from "../../shared/settings.ts";
import { askUserTool } from "../tools/ask-user.ts";
import { newGoal } from "./goals.ts";

const look = aTool("look", answers("seen"));
let place = 0;
const looks = () => calls({ name: "look", input: { path: `${place++}` } });
const finishes = (state: "completed" | "blocked") => calls({ name: "finish_goal", input: { state, note: "as said" } });

const aWorker = (script: Parameters<typeof scriptedProvider>[0], settings = {}) =>
  anAgent({
    tools: [look, askUserTool],
    model: scriptedProvider(script, { afterwards: says("Still at it.") }),
    settings,
  });

describe("/goal", () => {
  test("goes on over answers until the model says that it is reached", async () => {
    const agent = aWorker([looks(), says("Half of it."), looks(), finishes("completed"), says("All of it.")]);
    const ended = await agent.say("/goal tidy the folder");
    expect(ended).toMatchObject({ stopReason: "completed", text: "All of it." });
    expect(agent.store.goal("s")).toMatchObject({
      state: "completed",
      reason: "model",
      note: "as said",
      text: "tidy the folder",
    });
    expect(agent.rows().filter((row) => !row.startsWith("tool"))).toEqual([
      "user complete: tidy the folder",
      expect.stringMatching(/look/),
      "assistant complete: Half of it.",
      expect.stringMatching(/^user note hidden: The goal is not reached yet/),
      expect.stringMatching(/look/),
      expect.stringMatching(/finish_goal/),
      "assistant complete: All of it.",
    ]);
  });

  test("the tool that ends it is offered only while there is a goal", async () => {
    const agent = aWorker([says("Hello."), finishes("blocked"), says("I cannot."), says("Bye.")]);
    await agent.say("hi");
    await agent.say("/goal the impossible");
    await agent.say("bye");
    const offered = agent.model.requests.map(({ tools }) => tools.some(({ name }) => name === "finish_goal"));
    expect(offered).toEqual([false, true, true, false]);
    expect(agent.store.goal("s")?.state).toBe("blocked");
  });

  test("without a new result of a tool, three answers are enough: it pauses and says why", async () => {
    const agent = aWorker([looks(), says("Thinking.")]);
    await agent.say("/goal tidy up");
    expect(agent.store.goal("s")).toMatchObject({ state: "paused", reason: "no-progress" });
    expect(agent.model.requests).toHaveLength(4);
  });

  test("a question pauses it, and the answer lets it go on", async () => {
    const agent = aWorker([
      calls({ name: "ask_user", input: { question: "Which?" } }),
      finishes("completed"),
      says("Done."),
    ]);
    expect(await agent.say("/goal tidy up")).toMatchObject({ stopReason: "needs_user", text: "Which?" });
    expect(agent.store.goal("s")).toMatchObject({ state: "paused", reason: "asked-user" });
    await agent.say("the second");
    expect(agent.store.goal("s")?.state).toBe("completed");
  });

  test.each([
    ["requests", { goalIterations: 3 }],
    ["tokens", { goalTokens: 1500 }],
  ])("its budget of %s is kept", async (_what, settings) => {
    const usage = { inputTokens: 400, reusedTokens: 0, outputTokens: 100, firstTokenMs: 1, decodeMs: 1 };
    const step = () => [{ type: "usage", usage } as const, ...looks()];
    const agent = anAgent({
      tools: [look],
      settings,
      model: scriptedProvider([step(), step(), step()], { afterwards: says("So far.") }),
    });
    await agent.say("/goal go far");
    expect(agent.store.goal("s")).toMatchObject({ state: "paused", reason: "budget" });
    expect(agent.model.requests).toHaveLength(4);
  });

  test.each([
    ["an error", [new AppError("request-refused", "No.")], "error"],
    ["a refusal", says("I will not.", "refusal"), "error"],
  ] as const)("after %s it pauses", async (_what, reply, reason) => {
    const agent = aWorker([reply]);
    await agent.say("/goal go on");
    expect(agent.store.goal("s")).toMatchObject({ state: "paused", reason });
    expect(agent.model.requests).toHaveLength(1);
  });

  test("a stop pauses it; resumed, it goes on", async () => {
    const agent = aWorker([[{ type: "text", text: "Well" }, { wait: 60_000 }], finishes("completed"), says("Done.")]);
    agent.onEvent((event) => {
      if (event.type === "delta" && event.text === "Well") agent.loop.stop("s");
    });
    await agent.say("/goal go on");
    expect(agent.store.goal("s")).toMatchObject({ state: "paused", reason: "stopped" });
    expect(await agent.say("/goal resume")).toMatchObject({ stopReason: "completed", text: "Done." });
    expect(agent.store.goal("s")?.state).toBe("completed");
  });

  test("shown, paused, cancelled, and where there is none", async () => {
    const agent = aWorker([]);
    expect((await agent.say("/goal")).text).toMatch(/no goal/);
    expect((await agent.say("/goal pause")).text).toMatch(/no goal/);
    await agent.say("/goal tidy up");
    expect((await agent.say("/goal")).text).toMatch(/^Goal, paused \(no-progress\): tidy up\nSpent: 3 of 100 requests/);
    expect((await agent.say("/goal cancel")).text).toMatch(/^Goal, cancelled/);
    expect((await agent.say("/goal pause")).text).toMatch(/no goal/);
  });

  test("each change is told", async () => {
    const agent = aWorker([finishes("completed"), says("Done.")]);
    await agent.say("/goal tidy up");
    const told = agent.events.flatMap((event) => (event.type === "goal" ? [event.goal.state] : []));
    expect(told).toEqual(["active", "completed"]);
  });
});

describe("after a crash", () => {
  /** A turn that worked on a goal when the app died; so much was spent. */
  function aCrashedGoal() {
    const crash = aCrash("/goal tidy up");
    const goal = newGoal("s", "tidy up", Settings.parse({ goalIterations: 10 }), 1);
    crash.store.setGoal({ ...goal, spent: { iterations: 7, tokens: 700, minutes: 1 } });
    crash.asked();
    return crash;
  }

  test("it goes on with what was spent", async () => {
    const crash = aCrashedGoal();
    const agent = nextStart(crash, {
      tools: [look],
      model: scriptedProvider([looks(), looks(), looks()], { afterwards: says("So far.") }),
    });
    agent.recovery.continueTurn("t");
    await agent.loop.idle();
    expect(crash.store.goal("s")).toMatchObject({ state: "paused", reason: "budget", spent: { iterations: 10 } });
    expect(agent.model.requests).toHaveLength(4);
  });

  test("what the model had said of it counts, also when it was not written any more", async () => {
    const crash = aCrashedGoal();
    const about = { ...crash.row, status: "complete" } as const;
    const input = { state: "completed", note: "as said" };
    const call = { type: "tool-call", id: "f", name: "finish_goal", input } as const;
    const result = { type: "tool-result", callId: "f", name: "finish_goal", text: "Noted.", failed: false } as const;
    const { id: messageId } = crash.store.append({ ...about, role: "assistant", parts: [call] });
    crash.store.insertCall({
      id: "f",
      turnId: "t",
      messageId,
      name: "finish_goal",
      class: "idempotent",
      state: "finished",
    });
    crash.store.append({ ...about, role: "tool", parts: [result] });
    crash.store.setPhase("t", "awaiting_tools", 1);
    const agent = nextStart(crash, { script: [says("All of it.")] });
    agent.recovery.continueTurn("t");
    await agent.loop.idle();
    expect(crash.store.goal("s")).toMatchObject({ state: "completed", note: "as said" });
    expect(agent.model.requests).toHaveLength(1);
  });
});
