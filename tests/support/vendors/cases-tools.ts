import { expect } from "vitest";
import type { PromptMessage } from "../../../src/shared/inference.ts";
import { person, twelveTools } from "./connect.ts";
import { type Heard, rowParts, saidText } from "./hear.ts";
import { answer, calling, chinese, english, reasons, texts, thoughts } from "./samples.ts";
import type { Answer } from "./script.ts";
import { type ConformanceCase, ownId, question, resultOf, type Talk, thinking, withVendor } from "./talk.ts";
import type { Vendor } from "./vendors.ts";

/** The pieces of a chat in which one answer called, and the answer after its results. */
const twoSteps = (vendor: Vendor, thought: boolean): Answer[] => [
  answer(
    [
      ...(thought && vendor.tellsThoughts ? thoughts(reasons) : []),
      ...calling(0, vendor.callId(0), "read_file", { path: "a.txt" }),
      ...calling(1, vendor.callId(1), "read_file", { path: "b.txt" }),
    ],
    "calls",
  ),
  answer(texts(english)),
];

async function afterResults({ ask }: Talk): Promise<Heard> {
  const first = await ask([question]);
  expect(first.error).toBeUndefined();
  const row: PromptMessage = { role: "assistant", parts: rowParts(first, ownId) };
  return ask([question, row, resultOf(0, "The code is 4711."), resultOf(1, "nothing")]);
}

/** Calls, and the way back of their results. */
export const toolCases: readonly ConformanceCase[] = [
  {
    name: "one tool",
    behaves: "hears a call with its arguments",
    run: (vendor) =>
      withVendor(
        vendor,
        [answer(calling(0, vendor.callId(0), "read_file", { path: "a.txt" }), "calls")],
        async ({ ask }) => {
          const { calls, finish, error } = await ask([question]);
          expect(error).toBeUndefined();
          expect(calls).toMatchObject([{ name: "read_file", arguments: '{"path":"a.txt"}', ended: true }]);
          expect(finish).toBe("tool_calls");
        },
      ),
  },
  {
    name: "a tool in pieces",
    behaves: "joins arguments that came in pieces of three characters",
    run: (vendor) => {
      const input = { path: 'dir/"quoted" \\ 文件.txt', text: chinese, lines: 3 };
      const script = [answer([...texts("I look. "), ...calling(0, vendor.callId(0), "read_file", input, 3)], "calls")];
      return withVendor(vendor, script, async ({ ask }) => {
        const { calls } = await ask([question]);
        expect(calls.map(({ arguments: text }) => JSON.parse(text))).toEqual([input]);
      });
    },
  },
  {
    name: "parallel tools",
    behaves: "keeps two calls of one answer apart",
    run: (vendor) =>
      withVendor(vendor, twoSteps(vendor, false), async ({ ask }) => {
        const { calls } = await ask([question]);
        expect(calls.map(({ ended, arguments: text }) => [ended, JSON.parse(text)])).toEqual([
          [true, { path: "a.txt" }],
          [true, { path: "b.txt" }],
        ]);
      }),
  },
  {
    name: "results go back",
    behaves: "is understood when it brings the results of two calls, which had no text beside them",
    run: (vendor) =>
      withVendor(vendor, twoSteps(vendor, false), async (talk) => {
        const heard = await afterResults(talk);
        expect(heard.error).toBeUndefined();
        expect(saidText(heard)).toBe(english);
        expect(talk.last().body.toString()).toContain("The code is 4711.");
      }),
  },
  {
    name: "reasoning goes back",
    behaves: "brings the model's own thoughts back with the results, as its vendor wants them",
    applies: ({ bringsBack }) => bringsBack !== undefined,
    run: (vendor) =>
      withVendor(
        vendor,
        twoSteps(vendor, true),
        async (talk) => {
          const heard = await afterResults(talk);
          expect(heard.error).toBeUndefined();
          expect(saidText(heard)).toBe(english);
          expect(talk.last().body.toString()).toContain(vendor.bringsBack ?? "");
        },
        thinking,
      ),
  },
  {
    name: "another model's reasoning stays",
    behaves: "sends nothing that another model thought or sealed",
    run: (vendor) =>
      withVendor(vendor, [answer(texts(english))], async ({ ask, last }) => {
        const foreign = {
          key: "another-model",
          thoughts: [{ text: "secret thought", sealed: { x: { signature: "sig" } } }],
        };
        const row: PromptMessage = {
          role: "assistant",
          parts: [
            { type: "reasoning", text: "secret thought", raw: foreign },
            { type: "text", text: "Hello." },
            { type: "tool-call", id: ownId(0), name: "read_file", input: { path: "a.txt" }, raw: "<|raw|>" },
          ],
        };
        const heard = await ask([
          person("Hi"),
          row,
          resultOf(0, "4711"),
          { role: "assistant", parts: [{ type: "text", text: "Done." }] },
          question,
        ]);
        expect(heard.error).toBeUndefined();
        expect(last().body.toString()).not.toMatch(/secret thought|<\|raw\|>|another-model/);
      }),
  },
  {
    name: "long ids of calls",
    behaves: "is understood with ids of 70 characters in its history",
    run: (vendor) =>
      withVendor(vendor, [answer(texts(english))], async ({ ask }) => {
        const id = `${"x".repeat(66)}_1_0`;
        const call: PromptMessage = {
          role: "assistant",
          parts: [{ type: "tool-call", id, name: "read_file", input: { path: "a.txt" } }],
        };
        const heard = await ask([question, call, resultOf(0, "4711", id)]);
        expect(heard.error).toBeUndefined();
        expect(saidText(heard)).toBe(english);
      }),
  },
  {
    name: "twelve tools",
    behaves: "declares twelve tools, the same way in every request",
    run: (vendor) =>
      withVendor(vendor, [answer(texts(english))], async ({ ask, server }) => {
        await ask([question]);
        await ask([question]);
        const [one, other] = server.requests.map(({ body }) => body.toString());
        expect(one).toBe(other);
        for (const { name } of twelveTools) expect(one).toContain(`"${name}"`);
      }),
  },
  {
    name: "no tool may be called",
    behaves: "forbids calls where it is told to, and the tools stay declared or unspoken of",
    run: (vendor) =>
      withVendor(vendor, [answer(texts(english))], async ({ ask, last }) => {
        const heard = await ask([question], { toolChoice: "none" });
        expect(heard.error).toBeUndefined();
        const body = last().body.toString();
        expect(!body.includes("read_file") || /"none"|"NONE"/.test(body)).toBe(true);
      }),
  },
];
