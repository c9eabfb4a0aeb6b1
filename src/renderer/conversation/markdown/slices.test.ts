import { expect, test } from "vitest";
import { slicesOf } from "./slices.ts";

test("nothing is lost or added", () => {
  const text = "a line\n".repeat(500) + "x".repeat(900);
  expect(slicesOf(text, 100).join("")).toBe(text);
});

test("a cut stands behind a line break where there is one, else anywhere", () => {
  expect(slicesOf("ab\ncd\nefghij", 7)).toEqual(["ab\ncd\n", "efghij"]);
  expect(slicesOf("abcdefgh", 3)).toEqual(["abc", "def", "gh"]);
});

test("a character of two halves is never cut", () => {
  expect(slicesOf("ab😀cd", 3)).toEqual(["ab", "😀c", "d"]);
});
