import { describe, expect, test } from "vitest";
import { anAgent, answers, aTool } from "../../../tests/support/agent.ts";
import { calls, type ScriptStep, says, scriptedProvider } from "../../../tests/support/scripted-provider.ts";
import { AppError } from "../../shared/errors.ts";
import type { FinishReason } from "../../shared/inference.ts";
import { callsOf, textOf } from "../../shared/message.ts";

const look = aTool("look", answers("a red door"));
const blank: ScriptStep[] = [{ type: "finish", reason: "stop" }];

describe("a cut answer is joined exactly", () => {
  const wholes: ReadonlyArray<[string, string[]]> = [
    ["in the middle of a word", ["The cap", "ital of Fra", "nce is Paris."]],
    ["before a space", ["The capital", " of France", " is Paris."]],
    ["in the middle of an emoji family", ["We are \u{1f468}\u200d\u{1f469}", "\u200d\u{1f467}", " three."]],
    ["between the halves of one character", ["Well done \ud83c", "\udf89\ud83c", "\udf89!"]],
    ["in the middle of a code fence", ["So:\n``", "`js\nlet a = 1;\n", "```\nDone."]],
    ["where a short word comes twice", ["no, ", "no, ", "no!"]],
  ];

  test.each(wholes)("%s, by a model that continues in place", async (_where, parts) => {
    await expectJoined(parts, "in-place");
  });

  test.each(wholes)("%s, by a model that must be asked", async (_where, parts) => {
    await expectJoined(parts, "by-asking");
  });

  async function expectJoined(parts: readonly string[], continues: "in-place" | "by-asking") {
    const script = parts.map((text, at) => says(text, at < parts.length - 1 ? "length" : "stop"));
    const agent = anAgent({ model: scriptedProvider(script, { info: { continues } }) });
    const { text, turnId } = await agent.say("go");
    expect(text).toBe(parts.join(""));
    const written = agent.store.turnMessages(turnId).filter(({ role }) => role === "assistant");
    expect(written.map((row) => textOf(row.parts))).toEqual([text]);
    const deltas = agent.events.flatMap((event) => (event.type === "delta" ? [event] : []));
    expect(deltas.map((event) => event.text).join("")).toBe(text);
    expect(new Set(deltas.map(({ messageId }) => messageId)).size).toBe(1);
  }

  test("what it asks for words of ends with whole characters", async () => {
    const model = scriptedProvider([says(`${"\u{1f389}".repeat(60)}!`, "length"), says(" Yes.")], {
      info: { continues: "by-asking" },
    });
    await anAgent({ model }).say("go");
    expect(JSON.stringify(model.requests[1])).not.toMatch(/\\ud[89a-f]/);
  });

  test("a blank part is not a continuation: the answer is asked for again", async () => {
    const agent = anAgent({ script: [says("  \n", "length"), says("Paris.")] });
    expect((await agent.say("go")).text).toBe("Paris.");
    expect(agent.model.requests[1]?.messages.at(-1)?.role).toBe("user");
  });

  test("a continuation without a word is the last one, and the answer is marked", async () => {
    const agent = anAgent({ script: [says("The capi", "length"), says("\n", "length")] });
    await agent.say("go");
    expect(agent.rows().at(-1)).toMatch(/^assistant incomplete: The capi/);
    expect(agent.model.requests).toHaveLength(2);
  });

  test("its text stands before the calls that follow it, and nothing of it in what comes after them", async () => {
    const asks: ScriptStep[] = [{ type: "text", text: "ok now." }, ...calls({ name: "look", input: {} })];
    const agent = anAgent({ script: [says("I will lo", "length"), asks, says("Red.")], tools: [look] });
    const { turnId, text } = await agent.say("go");
    const rows = agent.store.turnMessages(turnId).filter(({ role }) => role === "assistant");
    expect(rows.map(({ parts }) => [textOf(parts), callsOf(parts).length])).toEqual([
      ["I will look now.", 1],
      ["Red.", 0],
    ]);
    expect(text).toBe("Red.");
  });
});

describe("a stream that is no end to be waited for", () => {
  const thinks: ScriptStep = { type: "reasoning", text: "Let me see." };
  const starts: ScriptStep = { type: "text", text: "Once" };

  test.each<[string, ScriptStep[], object, string]>([
    [
      "hangs before it begins",
      [{ wait: 60_000 }],
      { requestSeconds: 0.05, streamSeconds: 0.05 },
      "assistant incomplete: !timeout",
    ],
    [
      "hangs in its thoughts",
      [thinks, { wait: 60_000 }],
      { idleSeconds: 0.05, streamSeconds: 0.05 },
      "assistant incomplete: !timeout",
    ],
    [
      "hangs in its answer",
      [thinks, starts, { wait: 60_000 }],
      { idleSeconds: 0.05, streamSeconds: 0.05 },
      "assistant incomplete: Once !timeout",
    ],
  ])("%s: it is ended, what came is kept, and nothing is open", async (_how, reply, settings, last) => {
    const agent = anAgent({ script: [reply, says("Here.")], settings });
    const ended = await agent.say("go");
    expect(ended).toMatchObject({ stopReason: "error", error: { code: "timeout", retryable: true } });
    expect(agent.rows().at(-1)).toBe(last);
    const reasoning = agent.store
      .turnMessages(ended.turnId)
      .at(-1)
      ?.parts.filter(({ type }) => type === "reasoning");
    expect(reasoning).toEqual(reply.includes(thinks) ? [{ type: "reasoning", text: "Let me see." }] : []);
    expect((await agent.say("again")).text).toBe("Here.");
  });

  test("that never ends is ended", async () => {
    const endless = (): ScriptStep[] => [{ type: "text", text: "and " }, { wait: 2 }, endless];
    const agent = anAgent({ script: [endless()], settings: { streamSeconds: 0.1 } });
    expect(await agent.say("go")).toMatchObject({ stopReason: "error", error: { code: "timeout" } });
    expect(agent.rows().at(-1)).toMatch(/^assistant incomplete: (and )+ !timeout$/);
  });
});

describe("an answer that is not given", () => {
  test("because the account is empty is an error with a way on, and is not tried again", async () => {
    const agent = anAgent({ script: [[new AppError("quota", "Your balance is used up.")]] });
    const ended = await agent.say("go");
    expect(ended.error).toEqual({ code: "quota", message: "Your balance is used up.", retryable: false });
    expect(agent.rows().at(-1)).toBe("assistant incomplete: !quota");
    expect(agent.model.requests).toHaveLength(1);
  });

  test.each<FinishReason>(["refusal", "content_filter"])(
    "under %s is final as it is, also without a word",
    async (reason) => {
      const agent = anAgent({ script: [says("", reason)] });
      const { stopReason, text } = await agent.say("go");
      expect([stopReason, text]).toEqual(["completed", expect.stringMatching(/^The model gave no answer/)]);
      expect(agent.model.requests).toHaveLength(1);
    },
  );

  test("after tools: each call keeps its result, the error is not replayed, and the next question follows", async () => {
    const broken = [new AppError("provider-failed", "The line broke.")];
    const agent = anAgent({
      script: [calls({ name: "look", input: {} }), broken, broken, broken, broken, says("Yes.")],
      tools: [look],
    });
    await agent.say("go");
    await agent.say("and?");
    const roles = agent.model.requests.at(-1)?.messages.map(({ role }) => role);
    expect(roles).toEqual(["system", "user", "assistant", "tool", "user"]);
  });

  test("at the limit of requests: what ran is listed instead", async () => {
    const agent = anAgent({
      script: [calls({ name: "look", input: {} }), blank],
      tools: [look],
      settings: { maxIterationsLocal: 1 },
    });
    expect(await agent.say("go")).toMatchObject({
      stopReason: "max_iterations",
      text: "The model gave no answer. What was done: look (10 characters).",
    });
  });

  test("after blank ones tools may still be called, and they begin to count anew", async () => {
    const asks = (path: string) => calls({ name: "look", input: { path } });
    const agent = anAgent({ script: [blank, asks("1"), blank, asks("2"), blank, says("Red.")], tools: [look] });
    expect((await agent.say("go")).text).toBe("Red.");
    expect(agent.model.requests.every(({ toolChoice }) => toolChoice === "auto")).toBe(true);
  });
});
