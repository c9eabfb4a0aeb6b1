import { describe, expect, test } from "vitest";
import { anAgent, answers, aTool } from "../../../tests/support/agent.ts";
import { calls, type ScriptStep, says } from "../../../tests/support/scripted-provider.ts";
import { AppError } from "../../shared/errors.ts";
import type { FinishReason, ModelEvent } from "../../shared/inference.ts";

const look = aTool("look", answers("a red door"));
const readA = calls({ name: "look", input: { path: "a" } });

describe("tools", () => {
  test("cross to the model as words only, so that they can cross to another process", async () => {
    const agent = anAgent({ script: [says("ok")], tools: [look] });
    await agent.say("go");
    expect(structuredClone(agent.model.requests[0])).toEqual(agent.model.requests[0]);
    expect(agent.model.requests[0]!.tools.map(Object.keys)).toEqual([["name", "description", "inputSchema"]]);
  });

  test("run, and the model answers from what they found", async () => {
    const agent = anAgent({ script: [readA, says("The door is red.")], tools: [look] });
    const ended = await agent.say("colour?");
    expect(ended).toMatchObject({ stopReason: "completed", text: "The door is red." });
    expect(agent.rows()).toEqual([
      "user complete: colour?",
      'assistant complete: look({"path":"a"})',
      "tool complete: a red door",
      "assistant complete: The door is red.",
    ]);
    expect(agent.store.calls(ended.turnId).map(({ name, state }) => `${name} ${state}`)).toEqual(["look finished"]);
  });

  test("the intention is on disk before the effect, and so is how far the turn has come", async () => {
    const seen: string[] = [];
    const phases: Array<string | undefined> = [];
    const agent = anAgent({
      script: [readA, [() => void phases.push(agent.store.unfinishedTurns()[0]?.phase), ...says("ok")]],
      tools: [
        aTool("look", async () => {
          seen.push(...agent.rows());
          phases.push(agent.store.unfinishedTurns()[0]?.phase);
          return { text: "x", summary: "x" };
        }),
      ],
    });
    const { turnId } = await agent.say("go");
    expect(seen.at(-1)).toBe('assistant complete: look({"path":"a"})');
    expect(phases).toEqual(["awaiting_tools", "tools_completed"]);
    expect(agent.store.turn(turnId)?.phase).toBe("final_response");
  });

  test("readers go together, others alone, and results stand in call order", async () => {
    const log: string[] = [];
    const slow = (name: string, ms: number, rest = {}) =>
      aTool(
        name,
        async () => {
          log.push(`+${name}`);
          await new Promise((resolve) => setTimeout(resolve, ms));
          log.push(`-${name}`);
          return { text: name, summary: name };
        },
        rest,
      );
    const agent = anAgent({
      script: [
        calls(...["slow", "quick", "write", "quick"].map((name, n) => ({ name, input: { path: `${n}` } }))),
        says("ok"),
      ],
      tools: [slow("slow", 40), slow("quick", 5), slow("write", 5, { class: "once" })],
    });
    await agent.say("go");
    expect(log).toEqual(["+slow", "+quick", "-quick", "-slow", "+write", "-write", "+quick", "-quick"]);
    const toModel = agent.model.requests[1]!.messages.filter(({ role }) => role === "tool");
    expect(toModel.map(({ parts }) => parts[0]).map((part) => part?.type === "tool-result" && part.text)).toEqual([
      "slow",
      "quick",
      "write",
      "quick",
    ]);
  });

  test("four readers at most go together, and one that must be alone is", async () => {
    let running = 0;
    const most: Record<string, number> = {};
    const watched = (name: string, exclusive: boolean) =>
      aTool(
        name,
        async () => {
          most[name] = Math.max(most[name] ?? 0, ++running);
          await new Promise((resolve) => setTimeout(resolve, 5));
          running--;
          return { text: name, summary: name };
        },
        { exclusive },
      );
    const asked = ["open", "open", "open", "open", "open", "open", "alone", "alone"];
    const agent = anAgent({
      script: [calls(...asked.map((name, n) => ({ name, input: { path: `${n}` } }))), says("ok")],
      tools: [watched("open", false), watched("alone", true)],
    });
    await agent.say("go");
    expect(most).toEqual({ open: 4, alone: 1 });
  });

  test("one that throws is news for the model, and does not stop its neighbours", async () => {
    const breaks = aTool("breaks", async () => {
      throw new AppError("tool-failed", "The disk is gone.");
    });
    const agent = anAgent({
      script: [calls({ name: "breaks", input: {} }, { name: "look", input: {} }), says("ok")],
      tools: [breaks, look],
    });
    const { turnId, stopReason } = await agent.say("go");
    expect(stopReason).toBe("completed");
    expect(agent.store.calls(turnId).map(({ state }) => state)).toEqual(["failed", "finished"]);
    expect(
      agent
        .rows()
        .filter((row) => row.startsWith("tool"))
        .sort(),
    ).toEqual(["tool complete: The disk is gone.", "tool complete: a red door"]);
  });

  test("a result that begins with Error is still a success, an empty one gets a marker", async () => {
    const agent = anAgent({
      script: [calls({ name: "says", input: {} }, { name: "mute", input: {} }), says("ok")],
      tools: [aTool("says", answers("Error: is what the file says")), aTool("mute", answers(""))],
    });
    const { turnId } = await agent.say("go");
    expect(agent.store.calls(turnId).map(({ state }) => state)).toEqual(["finished", "finished"]);
    expect(agent.rows()).toContain("tool complete: (no output)");
  });

  test("one that takes too long is given up, one that says too much is cut", async () => {
    const agent = anAgent({
      script: [calls({ name: "hangs", input: {} }, { name: "talks", input: {} }), says("ok")],
      tools: [
        aTool("hangs", () => new Promise(() => undefined), { timeoutMs: 30, class: "once" }),
        aTool("talks", answers("x".repeat(50)), { resultCap: 10 }),
      ],
    });
    const { turnId } = await agent.say("go");
    expect(agent.store.calls(turnId).map(({ state }) => state)).toEqual(["unknown", "finished"]);
    expect(agent.rows()).toContain("tool complete: xxxxxxxxxx\n[cut: 40 more characters]");
  });

  test("the third identical call is not run", async () => {
    let runs = 0;
    const counts = aTool("look", async () => ({ text: `${++runs}`, summary: "" }));
    const agent = anAgent({ script: [readA, readA, readA, says("ok")], tools: [counts] });
    await agent.say("go");
    expect(runs).toBe(2);
    expect(agent.rows().at(-2)).toMatch(/tool complete: Not run: this is call number 3/);
  });

  test("a model that goes in circles is asked for words", async () => {
    const agent = anAgent({ script: [readA, readA, readA, readA, readA, says("I give up.")], tools: [look] });
    expect((await agent.say("go")).text).toBe("I give up.");
    expect(agent.model.requests.map(({ toolChoice }) => toolChoice).slice(-2)).toEqual(["auto", "none"]);
  });

  test("text streamed before a call is kept once, and not repeated after it", async () => {
    const agent = anAgent({
      script: [[{ type: "text", text: "I will look. " }, ...readA], says("It is red.")],
      tools: [look],
    });
    const ended = await agent.say("go");
    expect(ended.text).toBe("It is red.");
    expect(agent.rows().filter((row) => row.startsWith("assistant"))).toEqual([
      'assistant complete: I will look.  look({"path":"a"})',
      "assistant complete: It is red.",
    ]);
  });
});

describe("calls that are not right", () => {
  const schema = {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
    additionalProperties: false,
  };
  const strict = aTool("read_file", answers("content"), { inputSchema: schema });

  test.each<[string, { name: string; input: unknown }, RegExp]>([
    [
      "an unknown name",
      { name: "readfile", input: { path: "a" } },
      /no tool named readfile\. Did you mean read_file\?/,
    ],
    ["no name", { name: "", input: { path: "a" } }, /no tool name/],
    ["a missing field", { name: "read_file", input: {} }, /path/],
    ["an unknown field", { name: "read_file", input: { path: "a", colour: "red" } }, /colour/],
    ["a field of the wrong type", { name: "read_file", input: { path: { deep: 1 } } }, /path/],
    ["a list of arguments", { name: "read_file", input: ["a"] }, /object/],
    ["a number for arguments", { name: "read_file", input: 7 }, /object, not a number/],
    ["null for arguments", { name: "read_file", input: null }, /object, not null/],
    ["half JSON", { name: "read_file", input: '{"path": "a' }, /JSON/],
  ])("%s is refused with words that name it, once, and then answered", async (_name, bad, words) => {
    const agent = anAgent({ script: [calls(bad), says("Sorry.")], tools: [strict] });
    const ended = await agent.say("go");
    expect(ended).toMatchObject({ stopReason: "completed", text: "Sorry." });
    expect(agent.rows()[2]).toMatch(words);
    expect(agent.model.requests[1]!.toolChoice).toBe("auto");
  });

  test("a second bad try ends in a request without tools", async () => {
    const bad = calls({ name: "nope", input: {} });
    const agent = anAgent({ script: [bad, bad, says("In words.")], tools: [strict] });
    expect((await agent.say("go")).text).toBe("In words.");
    expect(agent.model.requests.map(({ toolChoice }) => toolChoice)).toEqual(["auto", "auto", "none"]);
  });

  test("all of several get words of their own, in one answer", async () => {
    const bad = calls({ name: "nope", input: {} }, { name: "read_file", input: "[" }, { name: "", input: {} });
    const agent = anAgent({ script: [bad, says("Sorry.")], tools: [strict] });
    expect((await agent.say("go")).text).toBe("Sorry.");
    expect(agent.rows().slice(2, -1)).toEqual([
      expect.stringMatching(/no tool named nope/),
      expect.stringMatching(/not whole JSON/),
      expect.stringMatching(/no tool name/),
    ]);
  });

  test("ids that are doubled, too long or missing never reach the history: each call has one of ours", async () => {
    const asked = ["same", "same", "x".repeat(500), undefined].map((id, n) => ({
      name: "read_file",
      input: { path: `${n}` },
      ...(id !== undefined && { id }),
    }));
    const agent = anAgent({ script: [calls(...asked), says("ok")], tools: [strict] });
    const { turnId } = await agent.say("go");
    const ids = agent.store.calls(turnId).map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    expect(ids.filter((id) => !/^[a-zA-Z0-9_-]{1,26}$/.test(id))).toEqual([]); // and 14 more with a real turn's id: 40
    expect(agent.store.calls(turnId).every(({ state }) => state === "finished")).toBe(true);
  });

  test("of one good and one bad the good one runs", async () => {
    const agent = anAgent({
      script: [calls({ name: "nope", input: {} }, { name: "read_file", input: { path: "a" } }), says("ok")],
      tools: [strict],
    });
    const { turnId } = await agent.say("go");
    expect(agent.store.calls(turnId).map(({ name, state }) => `${name} ${state}`)).toEqual([
      "nope failed",
      "read_file finished",
    ]);
  });

  test("arguments as a JSON string, and a name with spaces around it, are taken", async () => {
    const agent = anAgent({
      script: [calls({ name: " read_file ", input: JSON.stringify(JSON.stringify({ path: "a" })) }), says("ok")],
      tools: [strict],
    });
    const { turnId } = await agent.say("go");
    expect(agent.store.calls(turnId).map(({ state }) => state)).toEqual(["finished"]);
  });

  test.each<FinishReason>(["length", "refusal", "content_filter"])(
    "under the finish %s they are not run, and the trace says so",
    async (reason) => {
      const cut = [...readA.slice(0, -1), { type: "text", text: "half" }, { type: "finish", reason }] as ModelEvent[];
      const agent = anAgent({ script: [cut, says(" more")], tools: [look] });
      const { turnId } = await agent.say("go");
      expect(agent.store.calls(turnId)).toEqual([]);
      const notes = agent.store.trace(turnId).flatMap((entry) => entry.notes ?? []);
      expect(notes).toContain(`1 calls under "${reason}" were ignored`);
    },
  );

  test.each<[FinishReason, boolean]>([
    ["tool_calls", true],
    ["function_call", true],
    ["stop", true],
    ["length", false],
    ["refusal", false],
    ["content_filter", false],
    ["error", false],
    ["aborted", false],
  ])("under the finish %s calls run: %s", async (reason, run) => {
    const asks = [...readA.slice(0, -1), { type: "finish", reason } as const];
    const agent = anAgent({ script: [asks, says("ok")], tools: [look] });
    const { turnId } = await agent.say("go");
    expect(agent.store.calls(turnId).map(({ state }) => state)).toEqual(run ? ["finished"] : []);
  });

  test("half a call from a broken stream never runs", async () => {
    const broken: ScriptStep[] = [
      { type: "call-start", index: 0, name: "look" },
      { type: "call-arguments", index: 0, text: '{"path":"a"}' },
      new AppError("provider-failed", "The line broke."),
    ];
    const agent = anAgent({ script: [broken, broken, broken, broken], tools: [look] });
    const ended = await agent.say("go");
    expect(ended).toMatchObject({ stopReason: "error", error: { code: "provider-failed" } });
    expect(agent.store.calls(ended.turnId)).toEqual([]);
  });
});
