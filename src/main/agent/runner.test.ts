import { describe, expect, test } from "vitest";
import { anAgent, answers, aTool } from "../../../tests/support/agent.ts";
import { calls, type ScriptStep, says, scriptedProvider } from "../../../tests/support/scripted-provider.ts";
import { AppError } from "../../shared/errors.ts";
import { createStore } from "../db/store.ts";

const look = aTool("look", answers("a red door"));
const readA = calls({ name: "look", input: { path: "a" } });
const blank: ScriptStep[] = [{ type: "finish", reason: "stop" }];

describe("answers that are not whole", () => {
  test("a blank one is asked for again, then in words, then said to be empty with what ran", async () => {
    const agent = anAgent({ script: [readA, blank, blank, blank], tools: [look] });
    const ended = await agent.say("go");
    expect(ended.stopReason).toBe("empty");
    expect(ended.text).toBe("The model gave no answer. What was done: look (10 characters).");
    expect(agent.model.requests.map(({ toolChoice }) => toolChoice)).toEqual(["auto", "auto", "auto", "none"]);
  });

  test("a cut one goes on where it stopped, in one row", async () => {
    const model = scriptedProvider([says("The capi", "length"), says("tal is Pa", "length"), says("ris.")]);
    const agent = anAgent({ model });
    const ended = await agent.say("go");
    expect(ended.text).toBe("The capital is Paris.");
    expect(agent.rows()).toEqual(["user complete: go", "assistant complete: The capital is Paris."]);
    expect(model.requests[1]!.messages.at(-1)).toEqual({
      role: "assistant",
      parts: [{ type: "text", text: "The capi" }],
    });
  });

  test("a model that must be asked is asked, and words it repeats appear once", async () => {
    const model = scriptedProvider([says("It was a long and winding roa", "length"), says("long and winding road.")], {
      info: { continues: "by-asking" },
    });
    const agent = anAgent({ model });
    expect((await agent.say("go")).text).toBe("It was a long and winding road.");
    expect(JSON.stringify(model.requests[1]!.messages.at(-1))).toMatch(/Continue exactly after/);
  });

  test("after three continuations what is there is kept and marked", async () => {
    const agent = anAgent({ script: ["a", "b", "c", "d"].map((text) => says(text, "length")) });
    expect((await agent.say("go")).text).toBe("abcd");
    expect(agent.rows().at(-1)).toBe("assistant incomplete: abcd");
  });

  test("a broken stream keeps its half, marked, with the error beside it", async () => {
    const agent = anAgent({
      script: [
        [{ type: "text", text: "Once upon" }, new AppError("engine-crashed", "The engine stopped.")],
        says("Again."),
      ],
    });
    const ended = await agent.say("go");
    expect(ended).toMatchObject({
      stopReason: "error",
      text: "Once upon",
      error: { code: "engine-crashed", retryable: true },
    });
    expect(agent.rows().at(-1)).toBe("assistant incomplete: Once upon !engine-crashed");
    await agent.say("and now?");
    expect(agent.model.requests[1]!.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
  });

  test("a disk that fills while it streams ends the turn with what came, and not the app", async () => {
    const store = createStore(":memory:");
    const appendChunk = () => {
      throw new AppError("disk-full", "The disk is full.");
    };
    const script = [[{ type: "text", text: "Once " } as const, { wait: 300 }, ...says("upon")], says("Again.")];
    const agent = anAgent({ script, store: { ...store, appendChunk } });
    expect(await agent.say("go")).toMatchObject({ stopReason: "error", error: { code: "disk-full" } });
    expect(agent.rows().at(-1)).toBe("assistant incomplete: Once  !disk-full");
    expect((await agent.say("go on")).text).toBe("Again.");
  });

  test("a stream that just ends was not finished", async () => {
    const agent = anAgent({ script: [[{ type: "text", text: "Once" }]] });
    expect(await agent.say("go")).toMatchObject({ stopReason: "error", error: { code: "provider-failed" } });
  });

  test("the limit of requests ends with a summing up", async () => {
    const ask = (n: number) => calls({ name: "look", input: { path: `${n}` } });
    const agent = anAgent({
      script: [ask(1), ask(2), says("So far: red.")],
      tools: [look],
      settings: { maxIterationsLocal: 2 },
    });
    expect(await agent.say("go")).toMatchObject({ stopReason: "max_iterations", text: "So far: red." });
    expect(agent.model.requests[2]!.toolChoice).toBe("none");
    expect(JSON.stringify(agent.model.requests[2]!.messages.at(-1))).toContain("used all your tool calls");
  });

  test.each([
    ["stopped", "aborted", "aborted"],
    ["broken off", "error", "provider-failed"],
  ] as const)("a summing up that is %s is no whole answer", async (_how, reason, code) => {
    const script = [calls({ name: "look", input: {} }), says("So far", reason)];
    const agent = anAgent({ script, tools: [look], settings: { maxIterationsLocal: 1 } });
    expect(await agent.say("go")).toMatchObject({ text: "So far", error: { code } });
    expect(agent.rows().at(-1)).toMatch(/^assistant incomplete: So far/);
  });

  test("a refusal is final as it is", async () => {
    const agent = anAgent({ script: [says("I will not.", "refusal")] });
    expect(await agent.say("go")).toMatchObject({ stopReason: "completed", text: "I will not." });
  });

  test("tools take their room in the window too", async () => {
    const tools = [{ ...look, description: "long ".repeat(10_000) }];
    expect((await anAgent({ tools }).say("hi")).error?.code).toBe("context-overflow");
  });

  test("a message that cannot fit is said to be too long, with the numbers", async () => {
    const agent = anAgent({ script: [] });
    const ended = await agent.say("word ".repeat(20_000));
    expect(ended.error).toMatchObject({
      code: "context-overflow",
      message: expect.stringMatching(/about \d+ tokens.*room for \d+/),
    });
    expect(agent.model.requests).toEqual([]);
  });
});

describe("reasoning", () => {
  test("is kept apart from the answer, and survives between requests", async () => {
    const thinks: ScriptStep[] = [{ type: "reasoning", text: "Let me look." }, ...readA];
    const agent = anAgent({ script: [thinks, says("Red.")], tools: [look] });
    expect((await agent.say("go")).text).toBe("Red.");
    expect(agent.model.requests[1]!.messages[2]!.parts[0]).toEqual({ type: "reasoning", text: "Let me look." });
  });
});

describe("a model that cannot choose tools", () => {
  const named = { info: { toolLevel: "named" as const, parameters: 135e6 } };
  const readFile = aTool("read_file", async (input) => ({
    text: `content of ${(input as { path: string }).path}`,
    summary: "read",
  }));
  const namedFiles = async (text: string) => (text.includes("a.txt") ? ["a.txt"] : []);

  test("gets what the message names before it is asked, by an ordinary call", async () => {
    const model = scriptedProvider([says("It says: content.")], named);
    const agent = anAgent({ model, tools: [readFile], namedFiles });
    const { turnId } = await agent.say("What does a.txt say?");
    expect(agent.rows()).toEqual([
      "user complete: What does a.txt say?",
      'assistant complete: read_file({"path":"a.txt"})',
      "tool complete: content of a.txt",
      "assistant complete: It says: content.",
    ]);
    expect(model.requests[0]!.tools).toEqual([]);
    expect(model.requests[0]!.messages.at(-1)!.parts).toEqual([
      { type: "text", text: "```a.txt\ncontent of a.txt\n```\n\nWhat does a.txt say?" },
    ]);
    expect(
      agent.events.filter((event) => event.type === "tool").map((event) => event.type === "tool" && event.origin),
    ).toEqual(["named", "named"]);
    expect(agent.store.calls(turnId)).toMatchObject([{ state: "finished", class: "read" }]);
  });

  test("reads it once, also when the prompt has to be shortened", async () => {
    const model = scriptedProvider([[new AppError("context-overflow", "too long")], says("It says: content.")], named);
    const agent = anAgent({ model, tools: [readFile], namedFiles });
    expect((await agent.say("What does a.txt say?")).text).toBe("It says: content.");
    expect(agent.rows().filter((row) => row.startsWith("tool"))).toHaveLength(1);
  });

  test("never because of what a file or the model said", async () => {
    const model = scriptedProvider([says("See a.txt for more."), says("Fine.")], named);
    const agent = anAgent({ model, tools: [readFile], namedFiles });
    await agent.say("hello");
    await agent.say("go on");
    expect(agent.rows().filter((row) => row.startsWith("tool"))).toEqual([]);
  });
});
