import { describe, expect, test } from "vitest";
import { anAgent, answers, aTool } from "../../../tests/support/agent.ts";
import { aModel, askedOf, failure, models, noticesOf } from "../../../tests/support/fallbacks.ts";
import { calls, type ScriptStep, says, scriptedProvider } from "../../../tests/support/scripted-provider.ts";
import { AppError, type ErrorCode } from "../../shared/errors.ts";

const text = (words: string): ScriptStep => ({ type: "text", text: words });
const beyond = { local: false, to: { host: "api.example", place: "cloud" } } as const;

describe("another model answers", () => {
  test("after the tries of the first are spent, and it is told, in the notice, the trace and the requests", async () => {
    const spare = aModel("Spare", [says("Paris.")]);
    const agent = anAgent({ models: models(aModel("Own", []), { spare }) });
    const { text, turnId, stopReason } = await agent.say("go");
    expect([stopReason, text]).toEqual(["completed", "Paris."]);
    expect(noticesOf(agent)).toEqual([["overloaded", "Answered by Spare, because Own: It is overloaded."]]);
    expect(askedOf(agent, turnId)).toEqual([...Array(4).fill("Own overloaded"), "Spare ok"]);
    expect(agent.store.trace(turnId).flatMap(({ notes = [] }) => notes)).toContain(
      "Spare is asked instead of Own: overloaded",
    );
    const waits = agent.events.flatMap((event) => (event.type === "retry" ? [event.wait.fallback] : []));
    expect(waits).toEqual([undefined, undefined, undefined, "Spare"]);
  });

  test("for the rest of the turn, and the next one is asked of its own again", async () => {
    const own = aModel("Own", [failure("quota"), says("I am back.")]);
    const spare = aModel("Spare", [calls({ name: "look", input: {} }), says("Red.")]);
    const agent = anAgent({ models: models(own, { spare }), tools: [aTool("look", answers("a red door"))] });
    const first = await agent.say("go");
    expect(first.text).toBe("Red.");
    expect(askedOf(agent, first.turnId)).toEqual(["Own quota", "Spare ok", "Spare ok"]);
    expect(noticesOf(agent)).toHaveLength(1);
    expect((await agent.say("and?")).text).toBe("I am back.");
  });

  test("also after the conversation was found too long for it: then it is shortened for it", async () => {
    const own = aModel("Own", [says("Hello."), failure("quota")]);
    const spare = aModel("Spare", [calls({ name: "look", input: {} }), failure("context-overflow"), says("Red.")]);
    const agent = anAgent({ models: models(own, { spare }), tools: [aTool("look", answers("a red door"))] });
    await agent.say("hi");
    const { text, turnId } = await agent.say("go");
    expect(text).toBe("Red.");
    expect(askedOf(agent, turnId)).toEqual(["Own quota", "Spare ok", "Spare context-overflow", "Spare ok"]);
  });

  test("in the order of the settings; one that cannot be opened is passed over", async () => {
    const broken = aModel("Broken", []);
    const spare = aModel("Spare", [says("Paris.")]);
    const agent = anAgent({
      models: models(aModel("Own", [failure("quota")]), {
        "/models/gone.gguf": new AppError("model-missing", "The file is gone."),
        broken,
        spare,
      }),
    });
    const { turnId } = await agent.say("go");
    expect(askedOf(agent, turnId)).toEqual(["Own quota", ...Array(4).fill("Broken overloaded"), "Spare ok"]);
    expect(noticesOf(agent)).toEqual([["quota", "Answered by Spare, because Own: It is quota."]]);
  });

  test("with a prompt for its own window, its own tools and its own way to go on", async () => {
    const own = aModel("Own", [says("word ".repeat(1_200)), failure("quota")], { window: 32_768 });
    const small = { window: 1_024, maxOutputTokens: 256, toolLevel: "named", parameters: 1e8 } as const;
    const spare = aModel("Spare", [says("Paris.")], small);
    const agent = anAgent({ models: models(own, { spare }), tools: [aTool("look", answers("a red door"))] });
    await agent.say("Tell me a long story");
    expect((await agent.say("What is the capital of France?")).text).toBe("Paris.");
    const [asked] = spare.requests;
    expect(own.requests.at(-1)?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(asked?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(asked?.messages[0]).not.toEqual(own.requests[0]?.messages[0]);
    expect([own.requests[0]?.tools.length, asked?.tools.length]).toEqual([1, 0]);
  });

  test("and reads what the message names, where it cannot choose tools itself", async () => {
    const own = aModel("Own", [failure("quota")]);
    const spare = aModel("Spare", [says("It says hello.")], { toolLevel: "named" });
    const agent = anAgent({
      models: models(own, { spare }),
      tools: [aTool("read_file", answers("hello"))],
      namedFiles: async () => ["a.txt"],
    });
    expect((await agent.say("What is in a.txt?")).text).toBe("It says hello.");
    expect(JSON.stringify(spare.requests[0]?.messages.at(-1))).toContain("hello");
  });

  test("goes on with the half answer after a silence, without a doubled word", async () => {
    const own = scriptedProvider([], { info: { name: "Own", key: "own" }, afterwards: [{ wait: 60_000 }] });
    own.reply(text("The capital of France"), { wait: 60_000 });
    const spare = aModel("Spare", [says("The capital of France is Paris.")], { continues: "by-asking" });
    const agent = anAgent({
      models: models(own, { spare }),
      settings: { idleSeconds: 0.03, requestSeconds: 0.03 },
    });
    const { turnId, text: whole } = await agent.say("go");
    expect(whole).toBe("The capital of France is Paris.");
    expect(agent.rows()).toEqual(["user complete: go", `assistant complete: ${whole}`]);
    expect(askedOf(agent, turnId)).toEqual([...Array(4).fill("Own timeout"), "Spare ok"]);
  });

  test("while it takes the turn it is held to its own limit of iterations", async () => {
    const ask = (n: number) => calls({ name: "look", input: { path: `${n}` } });
    const own = aModel("Own", [failure("quota")], { local: false });
    const spare = aModel("Spare", [ask(1), says("So far: red.")]);
    const agent = anAgent({
      models: models(own, { spare }),
      tools: [aTool("look", answers("a red door"))],
      settings: { maxIterations: 100, maxIterationsLocal: 1 },
    });
    expect(await agent.say("go")).toMatchObject({ stopReason: "max_iterations", text: "So far: red." });
  });
});

/** A chat about a file that never leaves, and a disk that is full of it. */
function aDiary(options: Parameters<typeof anAgent>[0]) {
  const agent = anAgent({
    tools: [aTool("read_file", answers("CANARY"))],
    settings: { idleSeconds: 0.03, requestSeconds: 0.03 },
    ...options,
  });
  agent.wholeStore.setMark({ kind: "file", ref: "/workspace/diary.txt" }, true, 1);
  return agent;
}

test("one beyond this computer gets the gaps, in every request of the turn", async () => {
  const own = aModel("Own", [[text("I read CANARY."), ...calls({ name: "read_file", input: { path: "diary.txt" } })]]);
  own.reply(text("CANARY, again."), ...calls({ name: "read_file", input: { path: "other.txt" } }));
  own.reply(...failure("quota"));
  const trip: ScriptStep = {
    type: "trip",
    trip: { ledgerId: 1, host: "api.example", place: "cloud", bodyOut: 1, bodyIn: 1 },
  };
  const ask = calls({ name: "read_file", input: { path: "diary.txt" } });
  const cloud = aModel(
    "Cloud",
    [
      [trip, ...ask],
      [trip, ...says("I do not know.")],
    ],
    beyond,
  );
  const agent = aDiary({
    models: models(own, { "cloud:1": cloud }),
    tools: [
      aTool("read_file", async (input) => ({
        text: JSON.stringify(input).includes("diary") ? "CANARY" : "ok",
        summary: "",
      })),
    ],
  });
  expect((await agent.say("go")).text).toBe("I do not know.");
  expect(cloud.requests).toHaveLength(2);
  const told = cloud.requests.map(({ messages }) => JSON.stringify(messages));
  expect(told.map((words) => words.match(/CANARY/g)?.length ?? 0)).toEqual([1, 1]); // said before it was read
  expect(told.every((words) => words.includes("marked never to leave"))).toBe(true);
});

describe("no other model is asked", () => {
  test.each<ErrorCode>(["request-refused", "model-gone", "key-refused", "key-missing", "local-mode", "not-an-api"])(
    "after %s: a person has to see it",
    async (code) => {
      const spare = aModel("Spare", []);
      const agent = anAgent({ models: models(aModel("Own", [failure(code)]), { spare }) });
      expect(await agent.say("go")).toMatchObject({ error: { code, message: `It is ${code}.` } });
      expect(spare.opened).toBe(0);
    },
  );

  test.each(["refusal", "content_filter"] as const)("after %s: that is an answer", async (reason) => {
    const spare = aModel("Spare", []);
    const agent = anAgent({ models: models(aModel("Own", [says("I will not.", reason)]), { spare }) });
    expect(await agent.say("go")).toMatchObject({ stopReason: "completed", text: "I will not." });
    expect(spare.opened).toBe(0);
  });

  test("when the conversation is too long: it is shortened for the same one", async () => {
    const spare = aModel("Spare", []);
    const own = aModel("Own", [says("Yes."), failure("context-overflow"), says("Paris.")]);
    const agent = anAgent({ models: models(own, { spare }) });
    await agent.say("hi");
    expect((await agent.say("go")).text).toBe("Paris.");
    expect(spare.opened).toBe(0);
  });

  test("when the answer is on the screen: it is kept, with the error", async () => {
    const spare = aModel("Spare", []);
    const agent = anAgent({ models: models(aModel("Own", [[text("Once"), ...failure("overloaded")]]), { spare }) });
    expect(await agent.say("go")).toMatchObject({ text: "Once", error: { code: "overloaded" } });
    expect(spare.opened).toBe(0);
  });

  test("which the person has not allowed for this chat, whatever the settings name", async () => {
    const cloud = aModel("Cloud", [], beyond);
    const agent = anAgent({ models: models(aModel("Own", []), { "cloud:1": cloud }, []) });
    expect(await agent.say("go")).toMatchObject({ error: { code: "overloaded", message: "It is overloaded." } });
    expect([cloud.opened, cloud.requests.length]).toEqual([0, 0]);
  });

  test("and one whose consent was taken back meanwhile is passed over", async () => {
    const refuses = new AppError("consent-needed", "This chat has not been allowed to go to Example.");
    const agent = anAgent({ models: models(aModel("Own", [failure("quota")]), { "cloud:1": refuses }) });
    expect((await agent.say("go")).error).toMatchObject({
      code: "quota",
      message: "No model could answer. Own: It is quota. This chat has not been allowed to go to Example.",
    });
  });

  test("beyond this computer for half an answer that a marked file was read for", async () => {
    const own = scriptedProvider([calls({ name: "read_file", input: { path: "diary.txt" } })], {
      info: { name: "Own", key: "own" },
      afterwards: [{ wait: 60_000 }],
    });
    own.reply(text("CANARY is"), { wait: 60_000 });
    const cloud = aModel("Cloud", [], beyond);
    const agent = aDiary({ models: models(own, { "cloud:1": cloud }) });
    const ended = await agent.say("go");
    expect(ended).toMatchObject({ text: "CANARY is", error: { code: "timeout" } });
    expect(ended.error?.message).toMatch(/Cloud: The half answer stays on this computer/);
    expect(cloud.requests).toEqual([]);
  });

  test("after a stop in the middle of opening it", async () => {
    const own = aModel("Own", [failure("quota")]);
    const spare = aModel("Spare", []);
    const agent = anAgent({
      models: {
        ...models(own, { spare }),
        provider: async ({ model }) => {
          if (model !== undefined) agent.loop.stop("s");
          return model === undefined ? own : spare;
        },
      },
    });
    expect(await agent.say("go")).toMatchObject({ stopReason: "aborted" });
    expect(spare.requests).toEqual([]);
  });
});

describe("when all of them fail", () => {
  test("one final error names them all, and there is one answer row", async () => {
    const agent = anAgent({
      models: models(aModel("Own", [failure("quota")]), {
        spare: aModel("Spare", []),
        "/models/gone.gguf": new AppError("model-missing", "The file is gone."),
      }),
    });
    const ended = await agent.say("go");
    expect(ended.error).toEqual({
      code: "quota",
      retryable: false,
      message: "No model could answer. Own: It is quota. Spare: It is overloaded. gone.gguf: The file is gone.",
    });
    expect(agent.rows()).toEqual(["user complete: go", "assistant incomplete: !quota"]);
    expect(noticesOf(agent)).toEqual([]);
  });

  test("one that has no room for the message is one of them", async () => {
    const spare = aModel("Spare", [], { window: 600 });
    const agent = anAgent({ models: models(aModel("Own", [failure("quota")]), { spare }) });
    const ended = await agent.say("word ".repeat(1_000));
    expect(ended.error).toMatchObject({
      code: "quota",
      message: expect.stringMatching(/Spare: The message has about/),
    });
    expect(spare.requests).toEqual([]);
  });
});
