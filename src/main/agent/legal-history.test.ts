import fc from "fast-check";
import { expect, test } from "vitest";
import type { PromptMessage } from "../../shared/inference.ts";
import { callsOf, type Message, type Part } from "../../shared/message.ts";
import { govern } from "./governance.ts";
import { toPrompt } from "./transcript.ts";

/** What turns leave behind, good and bad: calls without results, results without calls, errors, hidden and empty rows. */
const part = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("text" as const), text: fc.string({ maxLength: 30 }) }) },
  fc.record({ type: fc.constant("reasoning" as const), text: fc.string({ maxLength: 9 }) }),
  fc.constant({ type: "error" as const, error: { code: "provider-failed" as const, message: "No.", retryable: true } }),
);
const call = fc.record({
  type: fc.constant("tool-call" as const),
  id: fc.constantFrom("1", "2", "3", "4"),
  name: fc.constantFrom("look", "look", "look", ""),
  input: fc.constantFrom<unknown>({}, { path: "a" }, "not an object", null),
});
const result = fc.record({
  type: fc.constant("tool-result" as const),
  callId: fc.constantFrom("1", "2", "3", "4", ""),
  name: fc.constant("look"),
  text: fc.string({ maxLength: 200 }),
  failed: fc.boolean(),
});
/** The ids of calls are ours: within a row they differ. */
const spoken = fc.uniqueArray(fc.oneof(part, call), {
  maxLength: 4,
  selector: (one) => (one.type === "tool-call" ? one.id : Symbol()),
});
const row = fc.oneof(
  fc.record({ role: fc.constant("user" as const), parts: fc.array(part, { minLength: 1, maxLength: 2 }) }),
  fc.record({ role: fc.constant("assistant" as const), parts: spoken }),
  fc.record({ role: fc.constant("tool" as const), parts: fc.array(result, { minLength: 1, maxLength: 1 }) }),
);
const about = fc.record({
  status: fc.constantFrom<Message["status"]>("complete", "complete", "complete", "incomplete", "hidden"),
  kind: fc.constantFrom<Message["kind"]>("chat", "chat", "chat", "chat", "command", "note"),
  origin: fc.constantFrom<Message["origin"]>("model", "model", "model", "named"),
  turnId: fc.constantFrom("old", "now"),
});

/** A history as it is stored: it begins with a question, and the question of the running turn is in it. */
const history = fc
  .tuple(fc.array(fc.tuple(row, about), { maxLength: 14 }), fc.array(fc.tuple(row, about), { maxLength: 6 }))
  .map(([before, after]): Message[] => {
    const asks = (text: string, turnId: string) =>
      [
        { role: "user" as const, parts: [{ type: "text" as const, text }] as Part[] },
        { status: "complete" as const, kind: "chat" as const, origin: "model" as const, turnId },
      ] as const;
    const all = [asks("first", "old"), ...before, asks("now", "now"), ...after];
    return all.map(([{ role, parts }, rest], at) => ({
      id: at + 1,
      sessionId: "s",
      role,
      parts,
      ...rest,
      createdAt: at,
    }));
  });

const count = async (messages: readonly PromptMessage[]) =>
  messages.map(({ parts }) => parts.reduce((sum, one) => sum + ("text" in one ? one.text.length : 20), 5));

const roleOf = ({ role, parts }: PromptMessage) => (callsOf(parts).length > 0 ? "caller" : role);
const idsOf = ({ parts }: PromptMessage): string[] =>
  parts.flatMap((one) => (one.type === "tool-call" ? [one.id] : one.type === "tool-result" ? [one.callId] : []));

/** What may stand before each: the user and the assistant in turn, and behind calls their results. */
const mayFollow: Readonly<Record<string, readonly string[]>> = {
  user: ["nothing", "assistant", "tool"],
  assistant: ["user", "tool"],
  caller: ["user", "tool"],
  tool: ["caller", "tool"],
};

function complaints(messages: readonly PromptMessage[]): string[] {
  const roles = messages.map(roleOf);
  const wrong: string[] = [];
  for (const [at, message] of messages.entries()) {
    const before = roles[at - 1] ?? "nothing";
    if (message.parts.length === 0) wrong.push(`${at} is empty`);
    if (!mayFollow[roles[at] ?? ""]?.includes(before)) wrong.push(`${at}: ${roles[at]} after ${before}`);
    if (roles[at] !== "caller") continue;
    const ids = idsOf(message);
    const results = messages.slice(at + 1, at + 1 + ids.length);
    const answered = results.flatMap((one) => (one.role === "tool" ? idsOf(one) : []));
    if (answered.join() !== ids.join()) wrong.push(`${at}: calls ${ids}, results ${answered}`);
  }
  const calls = messages.filter((one) => one.role === "assistant").flatMap(idsOf);
  const results = messages.filter(({ role }) => role === "tool").flatMap(idsOf);
  if (calls.length !== results.length) wrong.push(`${calls.length} calls, ${results.length} results`);
  return wrong;
}

test("whatever a chat has been through, its history is one that every provider accepts", async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.constantFrom(60, 200, 400, 100_000), async (rows, budget) => {
      const { messages } = await govern(toPrompt(rows, "now"), budget, count);
      expect(complaints(messages)).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});
