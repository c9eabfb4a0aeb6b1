import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aRequest, EngineChild, says } from "../../../../tests/support/engine-child.ts";
import { starterModel } from "../../../../tests/support/starter.ts";

const system = says("system", "Answer the user's question in one short sentence.");
const question = (text: string, more = {}) => aRequest({ messages: [system, says("user", text)], ...more });

let child: EngineChild;
beforeAll(async () => {
  child = new EngineChild();
  const loaded = await child.load({ path: await starterModel() });
  expect(loaded).toMatchObject({
    window: 2048,
    card: { wrapper: "chatML", toolLevel: "named", parameters: 134_515_008 },
  });
});
afterAll(() => child.stop());

describe("the starter model", () => {
  test.each([
    ["What is the capital of France?", /Paris/],
    ["What is the capital of Japan?", /Tokyo/],
    ["What is the opposite of hot?", /cold/],
    ["What is 7 + 5?", /12/],
    ["Which planet is known as the Red Planet?", /Mars/],
    [
      "Text: The meeting with Dr. Lopez was moved to 14 March 2025 in room 6.\n\nOn what date is the meeting?",
      /14 March 2025/,
    ],
    ["What is the chemical formula of water?", /H2O/],
    ["Today is Wednesday, 5 March 2025. What day of the week is it today?", /Wednesday/],
  ])("answers: %s", async (text, expected) => {
    const answer = await child.chat(question(text));
    expect(answer.text).toMatch(expected);
    expect(answer.finish).toBe("stop");
  });

  test("reads only what is new in the second turn", async () => {
    const first = await child.chat(question("What is the capital of France?"));
    const messages = [
      system,
      says("user", "What is the capital of France?"),
      says("assistant", first.text),
      says("user", "And of Italy?"),
    ];
    const { usage } = await child.chat(aRequest({ messages }));
    const before = (first.usage?.inputTokens ?? 0) + (first.usage?.outputTokens ?? 0);
    expect(usage?.reusedTokens).toBeGreaterThanOrEqual(before - 2);
    expect((usage?.inputTokens ?? 0) - (usage?.reusedTokens ?? 0)).toBeLessThan(64);
  });

  test("goes on in place where an answer was cut off, without a lost or doubled character", async () => {
    const text = "Tell me a short story about a dragon.";
    const whole = await child.chat(question(text, { maxOutputTokens: 40 }));
    for (const maxOutputTokens of [3, 11, 20]) {
      const start = await child.chat(question(text, { maxOutputTokens }));
      const messages = [system, says("user", text), says("assistant", start.text)];
      const rest = await child.chat(aRequest({ messages, maxOutputTokens: 40 - maxOutputTokens }));
      expect({ finish: start.finish, text: start.text + rest.text }).toEqual({ finish: "length", text: whole.text });
    }
  });

  test("can be stopped while it reads and while it answers, and answers the next question from what it kept", async () => {
    const long = question(`Text: ${"The dragon sleeps. ".repeat(50)}\n\nWho sleeps?`, { maxOutputTokens: 8 });
    const reading = await child.chat(long, (event) => event.type === "progress");
    expect(reading).toMatchObject({ finish: "aborted", text: "" });
    const answering = await child.chat(
      question("Count from 1 to 100.", { maxOutputTokens: 500 }),
      (event) => event.type === "text",
    );
    expect(answering.finish).toBe("aborted");
    expect((await child.chat(question("What is the capital of France?"))).text).toMatch(/Paris/);
    expect((await child.chat(long)).usage?.reusedTokens).toBeGreaterThanOrEqual(15);
  });

  test("refuses a conversation that does not fit, and the next one is fine", async () => {
    const request = question("The dragon sleeps. ".repeat(600));
    expect((await child.refusal({ type: "chat", request })).code).toBe("context-overflow");
    expect((await child.chat(question("What is the capital of France?"))).text).toMatch(/Paris/);
  });
});
