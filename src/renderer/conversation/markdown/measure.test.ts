import { expect, test } from "vitest";
import { isHeavy, isTooMuch, MAX_TEXT } from "./measure.ts";

test.each([
  ["an ordinary answer", "# Title\n\n- one\n  - two\n\n> quote\n\n```js\nconst a = [1];\n```\n".repeat(20), false],
  ["a list nested ten deep", Array.from({ length: 10 }, (_, at) => `${"  ".repeat(at)}- x`).join("\n"), false],
  ["text that is too long", "x".repeat(MAX_TEXT + 1), true],
  ["5,000 nested quotes in a line", "> ".repeat(5_000), true],
  ["5,000 nested quotes without spaces", ">".repeat(5_000), true],
  ["5,000 nested lists in a line", "- ".repeat(5_000), true],
  ["numbered lists nested in a line", "1. ".repeat(200), true],
  ["a list nested 5,000 deep by indentation", `- a\n${" ".repeat(5_000)}- b`, true],
  ["quotes that grow line by line", Array.from({ length: 200 }, (_, at) => `${"> ".repeat(at)}x`).join("\n"), true],
  ["emphasis that only looks nested", "*a ".repeat(5_000), false],
])("isTooMuch: %s", (_name, text, expected) => {
  expect(isTooMuch(text)).toBe(expected);
});

test.each([
  ["a paragraph with links and emphasis", "Some **bold** [link](https://a.test) and `code`. ".repeat(50), false],
  ["a list of 200 bold items", "- **name**: text with `code` and [x](y)\n".repeat(200), false],
  ["a table of 100 rows", `|a|b|\n|-|-|\n${"|**x**|y|\n".repeat(100)}`, false],
  ["a table of 10,000 rows", `|a|b|\n|-|-|\n${"|x|y|\n".repeat(10_000)}`, true],
  ["a table of 20,000 columns", "|a".repeat(14_000), true],
  ["100,000 stars", "*".repeat(100_000), true],
  ["brackets that never close", "[".repeat(10_000), true],
  ["marks that cross each other", "a*b_ ".repeat(2_000), true],
  ["a million characters", "x".repeat(1_000_000), true],
  ["many paragraphs of marks", `${"*a_".repeat(900)}\n\n`.repeat(3), true],
])("isHeavy: %s", (_name, text, expected) => {
  expect(isHeavy(text)).toBe(expected);
});
