import { expect, test } from "vitest";
import { piecesOf } from "./pieces.ts";

test("pieces put together are the text, and none is longer than asked", () => {
  const text = "line one\nline two\n\nfour😀😀😀five".repeat(50);
  for (const most of [1, 2, 3, 7, 100]) {
    const pieces = piecesOf(text, most);
    expect(pieces.join("")).toBe(text);
    expect(pieces.every((piece) => piece.length > 0 && piece.length <= Math.max(most, 2))).toBe(true);
  }
});

test("a text is cut at the end of a line, and never inside of a character", () => {
  expect(piecesOf("ab\ncdef", 5)).toEqual(["ab\n", "cdef"]);
  expect(piecesOf("a😀b", 2)).toEqual(["a", "😀", "b"]);
});

test("ten million characters are cut without going over them twice", () => {
  expect(piecesOf("x".repeat(10_000_000), 400)).toHaveLength(25_000);
});
