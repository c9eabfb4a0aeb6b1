import { describe, expect, test } from "vitest";
import { ForcedOutput } from "./forced-output.ts";
import type { Shape } from "./schema.ts";

const shapes = new Map<string, Shape>([["read_file", { optional: new Set(["limit"]), members: new Map() }]]);

function read(text: string, size: number, continued = false): string[] {
  const told: string[] = [];
  let answer = "";
  const output = new ForcedOutput(
    {
      answer: (piece) => {
        answer += piece;
      },
      callStart: (name) => told.push(`start ${name}`),
      callArguments: (piece) => told.push(piece),
      callEnd: () => told.push("end"),
    },
    shapes,
    continued,
  );
  for (let at = 0; at < text.length; at += size) output.push(text.slice(at, at + size));
  const [start, ...rest] = told;
  if (!start) return [answer];
  return [start, rest.filter((piece) => piece !== "end").join(""), ...(rest.includes("end") ? ["end"] : [])];
}

describe("the output of a model that is held to one object", () => {
  test.each([
    {
      name: "an answer is unescaped",
      text: String.raw`{"answer": "Say \"hi\"\n\u00e9 \\ud83d"}`,
      told: ['Say "hi"\né \\ud83d'],
    },
    { name: "an emoji in two halves is joined", text: String.raw`{ "answer":"\ud83d\ude00!"}`, told: ["😀!"] },
    { name: "what follows an answer is ignored", text: '{"answer":"a"}\n\n\n\n', told: ["a"] },
    {
      name: "a call is told with its arguments",
      text: '{"tool": "read_file", "arguments": {"path": "a.txt", "limit": null}}',
      told: ["start read_file", '{"path":"a.txt"}', "end"],
    },
    {
      name: "a call that breaks off has no end",
      text: '{"tool":"read_file","arguments":{"path":"a',
      told: ["start read_file", '{"path":"a'],
    },
    { name: "an empty answer is empty", text: '{"answer":""}', told: [""] },
  ])("$name", ({ text, told }) => {
    for (const size of [1, 2, 5, 1000]) expect(read(text, size)).toEqual(told);
  });

  test("goes on in an answer that has begun", () => {
    expect(read(String.raw` and \"more\"."}`, 3, true)).toEqual([' and "more".']);
  });
});
