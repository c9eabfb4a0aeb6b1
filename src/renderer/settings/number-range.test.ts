import { expect, test } from "vitest";
import { rangeOf, readNumber } from "./number-range.ts";

test("the ranges are those of the schema", () => {
  expect(rangeOf("contextTokens")).toEqual({ from: 512, to: 1_048_576, isWhole: true });
  expect(rangeOf("temperature")).toEqual({ from: 0, to: 2, isWhole: false });
});

test.each([
  ["8192", 8192],
  ["8,192", 8192],
  [" 16 384 ", 16_384],
  ["511", null],
  ["1048577", null],
  ["", null],
  ["many", null],
  ["Infinity", null],
])("as a window, “%s” is %s", (typed, value) => expect(readNumber(typed, rangeOf("contextTokens"))).toBe(value));

test.each([
  ["0.7", 0.7],
  ["0,7", 0.7],
  ["2.1", null],
  ["-1", null],
])("as a temperature, “%s” is %s", (typed, value) => expect(readNumber(typed, rangeOf("temperature"))).toBe(value));
