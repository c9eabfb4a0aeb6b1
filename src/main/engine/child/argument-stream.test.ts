import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ArgumentStream } from "./argument-stream.ts";
import { toGrammarSchema } from "./schema.ts";

const { shape } = toGrammarSchema({
  type: "object",
  required: ["path", "note", "filters"],
  properties: {
    path: { type: "string" },
    range: { anyOf: [{ type: "object", properties: { from: { type: "integer" } } }, { type: "string" }] },
    note: { type: ["string", "null"] },
    limit: { type: "integer" },
    filters: {
      type: "array",
      items: { type: "object", properties: { name: { type: "string" }, deep: { type: "object" } } },
    },
  },
});

/** Everything that comes out, with the text cut into pieces of `size`. */
function passThrough(text: string, size: number): string {
  const stream = new ArgumentStream(shape);
  const pieces = text.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? [];
  return pieces.map((piece) => stream.push(piece)).join("");
}

describe("the stream of a call's arguments", () => {
  test.each([
    { name: "white space is left out", from: '{ "path" :\n "a b" }', to: '{"path":"a b"}' },
    { name: "a null of an optional member is left out", from: '{"path":"a","limit":null}', to: '{"path":"a"}' },
    { name: "also the first", from: '{"limit": null, "path": "a"}', to: '{"path":"a"}' },
    { name: "also all of them", from: '{"limit":null}', to: "{}" },
    { name: "a null of a required member stays", from: '{"note":null,"limit":5}', to: '{"note":null,"limit":5}' },
    {
      name: "nulls below are left out where they stand for nothing",
      from: '{"filters":[{"name":null,"deep":{}},{"name":"x","deep":null},null]}',
      to: '{"filters":[{"deep":{}},{"name":"x"},null]}',
    },
    { name: "also in one of several forms", from: '{"range":{"from":null}}', to: '{"range":{}}' },
    {
      name: "text that looks like JSON stays",
      from: String.raw`{"path":"\"limit\":null, {"}`,
      to: String.raw`{"path":"\"limit\":null, {"}`,
    },
    { name: "what follows is ignored", from: '{"path":"a"}\n\n\n\n{"b":1}', to: '{"path":"a"}' },
  ])("$name", ({ from, to }) => {
    for (const size of [1, 3, 1000]) expect(passThrough(from, size)).toBe(to);
  });

  test("gives any JSON without optional nulls back as it was", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify({ other: value }));
    fc.assert(
      fc.property(object, fc.integer({ min: 1, max: 9 }), (text, size) => {
        const passed = new ArgumentStream({ optional: new Set(), members: new Map() });
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? [];
        expect(JSON.parse(pieces.map((piece) => passed.push(piece)).join(""))).toEqual(JSON.parse(text));
        expect(passed.complete).toBe(true);
      }),
    );
  });

  test("is complete with the last bracket and not before", () => {
    const stream = new ArgumentStream(shape);
    stream.push('{"filters":[{}]');
    expect(stream.complete).toBe(false);
    stream.push("}");
    expect(stream.complete).toBe(true);
  });
});
