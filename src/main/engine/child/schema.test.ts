import { type GbnfJsonSchema, getLlama, type LlamaGrammar, LlamaLogLevel } from "node-llama-cpp";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ArgumentStream } from "./argument-stream.ts";
import { toGrammarSchema } from "./schema.ts";

const llama = await getLlama({ gpu: false, build: "never", progressLogs: false, logLevel: LlamaLogLevel.disabled });

/** Whether a whole text can be written under the grammar; the library has this for its own tests. */
type Testable = LlamaGrammar & { _testText(text: string): boolean };

async function grammarOf(schema: object): Promise<(value: unknown) => boolean> {
  const maker: { createGrammarForJsonSchema(schema: GbnfJsonSchema): Promise<LlamaGrammar> } = llama;
  const grammar = (await maker.createGrammarForJsonSchema(toGrammarSchema(schema).schema)) as Testable;
  return (value) => grammar._testText(`${JSON.stringify(value)}\n\n\n\n`);
}

const item = (schema: object) => ({ type: "object", properties: { item: schema }, required: ["item"] });

/** Traps of the library: each of these makes a grammar that accepts nothing, null or "" only, when it is passed as it is. */
const traps: readonly { name: string; schema: object; accepts: readonly unknown[]; refuses?: readonly unknown[] }[] = [
  {
    name: "anyOf",
    schema: { anyOf: [{ type: "string" }, { type: "integer" }] },
    accepts: ["a", 5],
    refuses: [null, true],
  },
  {
    name: "oneOf",
    schema: { oneOf: [{ type: "boolean" }, { type: "array", items: { type: "integer" } }] },
    accepts: [true, [1]],
    refuses: ["a", ["a"]],
  },
  {
    name: "allOf",
    schema: {
      allOf: [
        { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
        { properties: { b: { type: "integer" } }, required: ["b"] },
      ],
    },
    accepts: [{ a: "x", b: 1 }],
    refuses: [{ a: "x" }, { a: 1, b: 1 }],
  },
  { name: "no schema at all", schema: {}, accepts: ["a", 1.5, null, true, [1, ["a"]], { a: { b: 1 } }] },
  {
    name: "a missing type with members",
    schema: { properties: { a: { type: "string" } }, required: ["a"] },
    accepts: [{ a: "x" }],
    refuses: [null, "x"],
  },
  {
    name: "a missing type with items",
    schema: { items: { type: "integer" } },
    accepts: [[1, 2], []],
    refuses: [["a"]],
  },
  { name: "a missing type with a pattern", schema: { pattern: "^a" }, accepts: ["abc"], refuses: [5] },
  { name: "a missing type with a bound", schema: { minimum: 3 }, accepts: [5], refuses: ["a"] },
  {
    name: "a list of types with object",
    schema: { type: ["object", "null"], properties: { a: { type: "string" } }, required: ["a"] },
    accepts: [{ a: "x" }, null],
    refuses: [{ a: 1 }, "x"],
  },
  {
    name: "a list of types with array",
    schema: { type: ["array", "string"], items: { type: "integer" } },
    accepts: [[1], "x"],
    refuses: [["x"], null],
  },
  { name: "nullable", schema: { type: "string", nullable: true }, accepts: ["x", null], refuses: [1] },
  {
    name: "a format that is not a date",
    schema: { type: "string", format: "uri" },
    accepts: ["https://example.org"],
    refuses: [1],
  },
  { name: "an email", schema: { type: "string", format: "email" }, accepts: ["a@b.c"] },
  { name: "a date", schema: { type: "string", format: "date" }, accepts: ["2025-03-05"], refuses: ["tomorrow", ""] },
  {
    name: "a date and time",
    schema: { type: "string", format: "date-time" },
    accepts: ["2025-03-05T10:00:00Z"],
    refuses: ["now"],
  },
  { name: "a time without a zone", schema: z.toJSONSchema(z.iso.time()), accepts: ["10:00:00"] },
  { name: "a constant", schema: { const: "now" }, accepts: ["now"], refuses: ["then"] },
  { name: "a constant object", schema: { const: { a: 1 } }, accepts: [{ a: 1 }] },
  { name: "an enum of objects", schema: { enum: [{ a: 1 }, "x"] }, accepts: [{ a: 1 }, "x"] },
  { name: "an empty enum", schema: { enum: [] }, accepts: [null] },
  { name: "an enum", schema: { enum: ["a", 2, null] }, accepts: ["a", 2, null], refuses: ["b"] },
  {
    name: "$defs",
    schema: { $ref: "#/$defs/name", $defs: { name: { type: "string" } } },
    accepts: ["x"],
    refuses: [1],
  },
  {
    name: "old definitions",
    schema: { $ref: "#/definitions/name", definitions: { name: { type: "string" } } },
    accepts: ["x"],
    refuses: [1],
  },
  { name: "a reference to nothing", schema: { $ref: "#/$defs/lost" }, accepts: ["x", { a: 1 }] },
  { name: "a reference to a file", schema: { $ref: "other.json" }, accepts: ["x"] },
  {
    name: "a circle",
    schema: {
      $ref: "#/$defs/tree",
      $defs: {
        tree: {
          type: "object",
          properties: { leaf: { type: "string" }, tree: { $ref: "#/$defs/tree" } },
          required: ["leaf", "tree"],
        },
      },
    },
    accepts: [{ leaf: "a", tree: { leaf: "b" } }],
    refuses: [{ leaf: 1, tree: {} }, "x"],
  },
  { name: "a free object", schema: { type: "object" }, accepts: [{}, { a: 1, b: { c: ["x"] } }], refuses: ["x"] },
  { name: "an object without members", schema: { type: "object", properties: {} }, accepts: [{}], refuses: [{ a: 1 }] },
  {
    name: "a record",
    schema: { type: "object", additionalProperties: { type: "integer" } },
    accepts: [{ a: 1 }, {}],
    refuses: [{ a: "x" }],
  },
  {
    name: "a record by pattern",
    schema: { type: "object", patternProperties: { "^a": { type: "integer" } } },
    accepts: [{ a: 1 }],
    refuses: [{ a: "x" }],
  },
  {
    name: "members and more",
    schema: { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: true },
    accepts: [{ a: "x", b: 1 }],
  },
  {
    name: "an optional member",
    schema: { type: "object", properties: { a: { type: "string" }, b: { type: "integer" } }, required: ["a"] },
    accepts: [
      { a: "x", b: 1 },
      { a: "x", b: null },
    ],
    refuses: [{ a: null, b: 1 }],
  },
  { name: "bounds of a number", schema: { type: "integer", minimum: 1, maximum: 9 }, accepts: [5], refuses: ["5"] },
  { name: "bounds of a text", schema: { type: "string", minLength: 100000, maxLength: 100001 }, accepts: ["x"] },
  { name: "bounds of a list", schema: { type: "array", items: { type: "integer" }, minItems: 100000 }, accepts: [[1]] },
  { name: "a list of anything", schema: { type: "array" }, accepts: [[1, "a", {}], []] },
  {
    name: "a tuple",
    schema: { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }] },
    accepts: [["a", 1]],
    refuses: [[1, "a"], ["a"], ["a", 1, 2]],
  },
  { name: "an old tuple", schema: { type: "array", items: [{ type: "string" }] }, accepts: [["a"]], refuses: [[1]] },
  { name: "never", schema: { type: "object", properties: { a: false } }, accepts: [{ a: null }] },
  {
    name: "a name that is special in JavaScript",
    schema: JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}'),
    accepts: [JSON.parse('{"__proto__":"x"}')],
    refuses: [{}],
  },
];

describe("the grammar of a tool's arguments", () => {
  test.each(traps)("understands $name", async ({ schema, accepts, refuses = [] }) => {
    const [alone, inside] = [await grammarOf(schema), await grammarOf({ ...item(schema), ...definitionsOf(schema) })];
    for (const value of accepts) expect([value, alone(value), inside({ item: value })]).toEqual([value, true, true]);
    for (const value of refuses) expect([value, alone(value), inside({ item: value })]).toEqual([value, false, false]);
  });

  test("takes what zod makes of a tool's input", async () => {
    const input = z.object({
      path: z.string().min(1).describe("A path."),
      depth: z.number().int().positive().default(1),
      kind: z.enum(["file", "folder"]).optional(),
      ranges: z.array(z.tuple([z.int(), z.int()])).optional(),
      match: z.discriminatedUnion("by", [
        z.object({ by: z.literal("name"), name: z.string() }),
        z.object({ by: z.literal("size"), bytes: z.int() }),
      ]),
    });
    const accepts = await grammarOf(z.toJSONSchema(input, { io: "input" }));
    const value = { path: "a", depth: 2, kind: null, ranges: [[1, 2]], match: { by: "size", bytes: 1 } };
    expect(accepts(value)).toBe(true);
    const { kind: _, ...rest } = value;
    expect(accepts(rest)).toBe(false);
    const written = new ArgumentStream(toGrammarSchema(z.toJSONSchema(input, { io: "input" })).shape).push(
      JSON.stringify(value),
    );
    expect(input.parse(JSON.parse(written))).toEqual(rest);
  });

  test("tells in words what it cannot hold a model to", () => {
    const schema = { type: "string", description: "A site.", format: "uri", minLength: 3, pattern: "^h", default: "h" };
    expect(toGrammarSchema(schema).schema).toEqual({
      type: "string",
      description: 'A site. (format uri, matching ^h, at least 3 characters, default "h")',
    });
  });

  test("is spelled briefly, because the model reads it", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string", description: "An a." }, b: { enum: ["x"] }, c: { type: ["integer", "null"] } },
    };
    expect(toGrammarSchema(schema).schema).toEqual({
      type: "object",
      properties: {
        a: { type: ["string", "null"], description: "An a." },
        b: { enum: ["x", null] },
        c: { type: ["integer", "null"] },
      },
    });
  });

  test("of a huge schema stays small enough to compile", async () => {
    const properties = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`member${at}`, { type: "string" }]));
    const nested = Array.from({ length: 300 }).reduce<object>((inner) => item(inner), { type: "string" });
    expect(
      JSON.stringify(toGrammarSchema({ type: "object", properties: { ...properties } }).schema).length,
    ).toBeLessThan(1_000_000);
    expect((await grammarOf(nested))({ item: { item: 1 } })).toBe(false);
  });
});

const definitionsOf = (schema: object) =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => key.endsWith("efs") || key === "definitions"));
