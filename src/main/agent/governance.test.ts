import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PromptMessage } from "../../shared/inference.ts";
import { textOf } from "../../shared/message.ts";
import { govern, INTERRUPTED_RESULT, mendCalls } from "./governance.ts";
import { countedText } from "./tokens.ts";

const say = (role: "system" | "user" | "assistant", text: string): PromptMessage => ({
  role,
  parts: [{ type: "text", text }],
});
const call = (...ids: string[]): PromptMessage => ({
  role: "assistant",
  parts: ids.map((id) => ({ type: "tool-call" as const, id, name: "read_file", input: { path: id } })),
});
const result = (callId: string, text = `content of ${callId}`): PromptMessage => ({
  role: "tool",
  parts: [{ type: "tool-result", callId, name: "read_file", text, failed: false }],
});
/** One token a character: easy to reckon with. */
const count = async (messages: readonly PromptMessage[]) => messages.map(({ parts }) => countedText(parts).length);

const textsOf = (messages: readonly PromptMessage[]) => messages.map(({ parts }) => countedText(parts));

describe("calls and results", () => {
  test("a result without a call is dropped, at both ends", () => {
    const messages = [say("user", "hi"), result("lost"), say("assistant", "hello"), result("late")];
    expect(mendCalls(messages)).toEqual([say("user", "hi"), say("assistant", "hello")]);
  });

  test("a missing result is filled in at its place, and the others stay", () => {
    const mended = mendCalls([say("user", "hi"), call("a", "b"), result("b"), say("user", "and?")]);
    expect(textsOf(mended).slice(2)).toEqual([INTERRUPTED_RESULT, "content of b", "and?"]);
  });

  test("a doubled result counts once", () => {
    expect(mendCalls([call("a"), result("a", "first"), result("a", "second")])).toEqual([
      call("a"),
      result("a", "first"),
    ]);
  });

  test("a result without an id, or with the id of an earlier call, is dropped", () => {
    const messages = [call("a"), result("a"), say("assistant", "so"), call("b"), result(""), result("a"), result("b")];
    expect(mendCalls(messages)).toEqual([call("a"), result("a"), say("assistant", "so"), call("b"), result("b")]);
  });

  test("a call that is no call goes, with its result", () => {
    const broken: PromptMessage = {
      role: "assistant",
      parts: [{ type: "tool-call", id: "x", name: "", input: "not an object" }],
    };
    expect(mendCalls([say("user", "hi"), broken, result("x"), say("assistant", "ok")])).toEqual([
      say("user", "hi"),
      say("assistant", "ok"),
    ]);
  });
});

describe("making it fit", () => {
  const system = say("system", "rules");

  test("what fits is not touched", async () => {
    const prompt = [system, say("user", "hi"), call("a"), result("a")];
    expect((await govern(prompt, 1000, count)).messages).toEqual(prompt);
  });

  test("the oldest big result shrinks first, the newest one stays whole", async () => {
    const big = "x".repeat(3000);
    const prompt = [system, say("user", "hi"), call("a"), result("a", big), call("b"), result("b", big)];
    const { messages, tokens, notes } = await govern(prompt, 5000, count);
    expect(countedText(messages[3]!.parts)).toMatch(/^x{1200}\n\[… 1800 more characters/);
    expect(countedText(messages[5]!.parts)).toBe(big);
    expect(tokens).toBeLessThanOrEqual(5000);
    expect(notes).toEqual(["shortened 1 old tool results"]);
  });

  test("the newest result alone over the budget is shortened last of all: better its beginning than no answer", async () => {
    const big = "x".repeat(3000);
    const { messages, tokens, notes } = await govern(
      [system, say("user", "hi"), call("a"), result("a", big)],
      1500,
      count,
    );
    expect(countedText(messages.at(-1)!.parts)).toMatch(/^x{1200}\n\[… 1800 more characters/);
    expect(tokens).toBeLessThanOrEqual(1500);
    expect(notes).toEqual(["shortened the newest tool result too"]);
  });

  test("the newest result stays whole as long as older turns can go", async () => {
    const big = "x".repeat(2000);
    const old = [say("user", "q".repeat(500)), say("assistant", "a".repeat(500))];
    const prompt = [system, ...old, say("user", "hi"), call("a"), result("a", big)];
    const { messages } = await govern(prompt, 2500, count);
    expect(messages).toEqual([system, ...prompt.slice(3)]);
  });

  test("short results stay as they are, however full the prompt is", async () => {
    const prompt = [
      system,
      say("user", "hi"),
      ...["a", "b", "c"].flatMap((id) => [call(id), result(id, id.repeat(1500))]),
    ];
    const { messages, tokens } = await govern(prompt, 2000, count);
    expect(messages).toEqual(prompt);
    expect(tokens).toBeGreaterThan(2000); // the caller says that it does not fit
  });

  test("what is left after the oldest turns went has no result without its call", async () => {
    const turns = Array.from({ length: 6 }, (_, n) => [
      say("user", `q${n}`),
      call(`a${n}`, `b${n}`),
      result(`a${n}`, "r".repeat(150)),
      result(`b${n}`, "r".repeat(150)),
      say("assistant", `done ${n}`),
    ]).flat();
    for (let budget = 100; budget < 2_600; budget += 50) {
      const { messages } = await govern([system, ...turns, say("user", "last")], budget, count);
      expect(messages).toEqual(mendCalls(messages));
      expect(messages[1]!.role).toBe("user");
    }
  });

  test("without any user row nothing is dropped and nothing breaks", async () => {
    const prompt = [system, call("a"), result("a"), say("assistant", "x".repeat(500))];
    expect((await govern(prompt, 100, count)).messages).toEqual(prompt);
    expect((await govern([], 100, count)).messages).toEqual([]);
  });

  test("what is left out goes in steps: a little more to say does not move the start", async () => {
    const turns = Array.from({ length: 60 }, (_, n) => [say("user", `q${n}`.padEnd(8)), say("assistant", "ok")]).flat();
    const startOf = async (more: PromptMessage[]) =>
      (await govern([system, ...turns, ...more], 550, count)).messages[1];
    const start = await startOf([say("user", "and now?")]);
    expect(await startOf([say("user", "and now?"), say("assistant", "x".repeat(9))])).toEqual(start);
    expect(await startOf([say("user", "and now?"), say("assistant", "x".repeat(18))])).toEqual(start);
  });

  test("whole turns go from the oldest on, never the last question", async () => {
    const turns = Array.from({ length: 10 }, (_, n) => [
      say("user", `q${n} ${"x".repeat(100)}`),
      say("assistant", `a${n}`),
    ]);
    const prompt = [system, ...turns.flat(), say("user", "last")];
    const { messages } = await govern(prompt, 600, count);
    expect(messages[0]).toEqual(system);
    expect(messages[1]!.role).toBe("user");
    expect(messages.at(-1)).toEqual(say("user", "last"));
  });

  test("the boundary stays where it is while the prompt grows a little", async () => {
    const turns = Array.from({ length: 10 }, (_, n) => [
      say("user", `q${n} ${"x".repeat(100)}`),
      say("assistant", `a${n}`),
    ]);
    const first = await govern([system, ...turns.flat(), say("user", "last")], 800, count);
    const second = await govern([system, ...turns.flat(), say("user", "last"), say("assistant", "yes")], 800, count);
    expect(second.messages.slice(0, first.messages.length)).toEqual(first.messages);
  });

  test("whatever the history, the outcome is legal: pairs, a user first, nothing added", async () => {
    const anyMessage = fc.oneof(
      fc.string({ minLength: 1 }).map((text) => say("user", text)),
      fc.string({ minLength: 1 }).map((text) => say("assistant", text)),
      fc.constantFrom("a", "b", "c").map((id) => call(id)),
      fc.constantFrom("a", "b", "c").map((id) => result(id, "y".repeat(2000))),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(anyMessage, { maxLength: 20 }), fc.nat({ max: 5000 }), async (history, budget) => {
        const { messages } = await govern([system, say("user", "q"), ...history, say("user", "end")], budget, count);
        expect(messages[0]).toEqual(system);
        expect(messages[1]!.role).toBe("user");
        expect([messages.at(-1)?.role, textOf(messages.at(-1)?.parts ?? [])]).toEqual([
          "user",
          expect.stringMatching(/end$/),
        ]);
        messages.forEach(({ role, parts }, at) => {
          if (role !== "assistant") return;
          const ids = parts.flatMap((part) => (part.type === "tool-call" ? [part.id] : []));
          const following = messages.slice(at + 1, at + 1 + ids.length);
          expect(
            following.flatMap((next) => next.parts.map((part) => part.type === "tool-result" && part.callId)),
          ).toEqual(ids);
        });
      }),
      { numRuns: 300 },
    );
  });
});
