import { describe, expect, test } from "vitest";
import { z } from "zod";
import { readFileTool } from "./read-file.ts";
import { defineTool } from "./tool.ts";
import { checkArguments, nearestName } from "./validate.ts";

const tool = defineTool({
  name: "draw",
  description: "",
  class: "read",
  input: z.strictObject({
    shape: z.enum(["circle", "square"]),
    size: z.int().min(1).max(9).default(3),
    label: z.strictObject({ text: z.string() }).optional(),
  }),
  run: async () => ({ text: "", summary: "" }),
});

describe("arguments that fit", () => {
  test.each([
    ["a value", { shape: "circle", size: 2 }, { shape: "circle", size: 2 }],
    ["JSON", '{"shape":"circle","size":2}', { shape: "circle", size: 2 }],
    ["JSON inside a JSON string", JSON.stringify('{"shape":"circle"}'), { shape: "circle" }],
    ["JSON with space around", '\n {"shape":"square"} ', { shape: "square" }],
  ])("come as %s, and nothing is added", (_name, raw, input) => {
    expect(checkArguments(tool, raw)).toEqual({ ok: true, input });
  });

  test("stay as they were given", () => {
    const given = { path: "a" };
    expect(checkArguments(readFileTool, given)).toEqual({ ok: true, input: { path: "a" } });
    expect(given).toEqual({ path: "a" });
  });

  test.each(["", "  ", "{}", undefined, null])("may be none at all: %j", (raw) => {
    const none = defineTool({
      ...tool,
      class: "read",
      input: z.strictObject({}),
      run: async () => ({ text: "", summary: "" }),
    });
    expect(checkArguments(none, raw)).toEqual({ ok: true, input: {} });
  });
});

describe("arguments that do not fit", () => {
  test.each<[unknown, RegExp]>([
    ['{"shape":"cir', /^draw: the arguments are not whole JSON \(.+\)\. Write one complete JSON object\.$/],
    ['{"shape":"circle"', /not whole JSON/],
    [JSON.stringify('{"shape":'), /not whole JSON/],
    [JSON.stringify(JSON.stringify("{}")), /must be a JSON object, not a string/],
    ["circle", /not whole JSON/],
    ['["circle"]', /must be a JSON object, not an array/],
    ["7", /must be a JSON object, not a number/],
    ["null", /must be a JSON object, not null/],
    [true, /must be a JSON object, not a boolean/],
    ["{}", /^draw: "shape" is missing\.$/],
    ['{"shape":"circle","label":{}}', /"text" is missing in "label"/],
    ['{"shape":"line"}', /"shape" must be one of \["circle","square"\]/],
    ['{"shape":"circle","size":"2"}', /"size" must be integer/],
    ['{"shape":"circle","size":10}', /"size" must be <= 9/],
    ['{"shap":"circle"}', /"shape" is missing; "shap" is not an argument \(did you mean "shape"\?\)/],
    ['{"shape":"circle","colour":"red"}', /^draw: "colour" is not an argument\.$/],
    ['{"shape":"circle","__proto__":{"size":1}}', /"__proto__" is not an argument/],
    [`"${"x".repeat(1_100_000)}"`, /longer than 1048576 characters/],
  ])("are refused with the field: %j", (raw, words) => {
    expect(checkArguments(tool, raw)).toEqual({ ok: false, problem: expect.stringMatching(words) });
  });
});

describe("the nearest name", () => {
  const names = ["read_file", "list_files", "current_time", "/help", "/status"];
  test.each([
    ["read_fil", "read_file"],
    ["readFile", "read_file"],
    ["Read File", "read_file"],
    ["raed_file", "read_file"],
    ["functions.read_file", undefined],
    ["list_file", "list_files"],
    ["/hlep", "/help"],
    ["staus", "/status"],
    ["write_database", undefined],
    ["", undefined],
    ["???", undefined],
    ["x".repeat(100_000), undefined],
  ])("of %s is %s", (name, nearest) => {
    expect(nearestName(name, names)).toBe(nearest);
  });

  test("of no names is none", () => expect(nearestName("a", [])).toBeUndefined());
});
