import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { ReadRequest } from "./sent-request.ts";
import { readSent } from "./sent-request.ts";

const hostile = JSON.parse(readFileSync("tests/hostile/sent-bodies.json", "utf8")) as {
  id: string;
  input: unknown;
  expected: string[];
}[];

/** The same conversation as each format has it: a call, its result, what was thought, and a picture. */
const bodies = {
  "chat completions": {
    model: "m",
    temperature: 0.5,
    max_tokens: 100,
    messages: [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "Look." },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        ],
      },
      {
        role: "assistant",
        content: null,
        reasoning_content: "Hm.",
        tool_calls: [{ id: "c1", type: "function", function: { name: "read_file", arguments: '{"path":"a.txt"}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "Soup." },
      { role: "assistant", content: "It is soup." },
    ],
    tools: [
      { type: "function", function: { name: "read_file", description: "Reads.", parameters: { type: "object" } } },
    ],
  },
  responses: {
    model: "m",
    temperature: 0.5,
    max_output_tokens: 100,
    input: [
      { role: "developer", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "input_text", text: "Look." },
          { type: "input_image", image_url: "data:image/png;base64,AAAA" },
        ],
      },
      { type: "reasoning", id: "r1", summary: [{ type: "summary_text", text: "Hm." }] },
      { type: "function_call", call_id: "c1", name: "read_file", arguments: '{"path":"a.txt"}' },
      { type: "function_call_output", call_id: "c1", output: "Soup." },
      { role: "assistant", content: [{ type: "output_text", text: "It is soup." }] },
    ],
    tools: [{ type: "function", name: "read_file", description: "Reads.", parameters: { type: "object" } }],
  },
  anthropic: {
    model: "m",
    temperature: 0.5,
    max_tokens: 100,
    system: [{ type: "text", text: "Be brief." }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Look." },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "s" },
          { type: "tool_use", id: "c1", name: "read_file", input: { path: "a.txt" } },
        ],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "Soup." }] }],
      },
      { role: "assistant", content: [{ type: "text", text: "It is soup." }] },
    ],
    tools: [{ name: "read_file", description: "Reads.", input_schema: { type: "object" } }],
  },
  google: {
    generationConfig: { temperature: 0.5, maxOutputTokens: 100 },
    systemInstruction: { parts: [{ text: "Be brief." }] },
    contents: [
      { role: "user", parts: [{ text: "Look." }, { inlineData: { mimeType: "image/png", data: "AAAA" } }] },
      {
        role: "model",
        parts: [{ text: "Hm.", thought: true }, { functionCall: { name: "read_file", args: { path: "a.txt" } } }],
      },
      { role: "user", parts: [{ functionResponse: { name: "read_file", response: "Soup." } }] },
      { role: "model", parts: [{ text: "It is soup." }] },
    ],
    tools: [{ functionDeclarations: [{ name: "read_file", description: "Reads.", parameters: { type: "object" } }] }],
  },
} as const;

/** What a person reads of it, a line each. */
const lines = (request: ReadRequest | null) =>
  request?.messages.flatMap(({ role, parts }) =>
    parts.map((part) => {
      if (part.type === "tool-call") return `${role} calls ${part.name} ${JSON.stringify(part.input)}`;
      if (part.type === "tool-result") return `${role} ${part.name}: ${part.text}`;
      if (part.type === "image") return `${role} sees ${part.mediaType}`;
      return "text" in part ? `${role} ${part.type}: ${part.text}` : part.type;
    }),
  );

test.each(Object.entries(bodies))("a body of %s is read as the conversation it is", (_format, body) => {
  const request = readSent(JSON.stringify(body));
  expect(lines(request)).toEqual([
    "system text: Be brief.",
    "user text: Look.",
    "user sees image/png",
    "assistant reasoning: Hm.",
    'assistant calls read_file {"path":"a.txt"}',
    "tool read_file: Soup.",
    "assistant text: It is soup.",
  ]);
  expect(request?.tools).toEqual([{ name: "read_file", description: "Reads.", inputSchema: { type: "object" } }]);
  expect(request).toMatchObject({ maxOutputTokens: 100, sampling: { temperature: 0.5 } });
});

test.each(hostile)("a body with $id is read without harm, and nothing of it is hidden", ({ input, expected }) =>
  expect(lines(readSent(JSON.stringify(input)))).toEqual(expected),
);

test("a body as deep as a well is shown as text", () => {
  const deep = `${'{"content":['.repeat(20_000)}${"]}".repeat(20_000)}`;
  expect(() => readSent(`{"messages":[${deep}]}`)).not.toThrow();
});

test("what is not known of a body is shown as it stands: nothing that left is hidden", () => {
  const odd = { type: "hologram", beam: "secret" };
  const body = { messages: [{ role: "user", content: [odd] }, { role: "wizard", content: "Hello" }, 7] };
  expect(lines(readSent(JSON.stringify(body)))).toEqual([`user text: ${JSON.stringify(odd)}`, "user text: Hello"]);
});

test.each(["", "{}", "[1]", "null", "7", '{"messages":7}', "no JSON"])(
  "%s is no request: it is shown as text",
  (text) => expect(readSent(text)).toBeNull(),
);
