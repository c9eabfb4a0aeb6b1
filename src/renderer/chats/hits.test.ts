import { expect, test } from "vitest";
import { holdsAll, piecesOf } from "./hits.ts";

const marked = (text: string, query: string) =>
  piecesOf(text, query)
    .map((piece) => (piece.isHit ? `«${piece.text}»` : piece.text))
    .join("");

test("marks words, parts of words and Chinese, however they are written", () => {
  expect(marked("The lease ends", "LEASE")).toBe("The «lease» ends");
  expect(marked("insurance offers", "sur off")).toBe("in«sur»ance «off»ers");
  expect(marked("租约何时到期？", "到期")).toBe("租约何时«到期»？");
  expect(marked("Café crème", "cafe CREME")).toBe("«Café» «crème»");
  expect(marked("Cafe\u0301!", "café")).toBe("«Cafe\u0301»!".replace("\u0301»", "»\u0301"));
});

test("marks every place, and words that lie on one another once", () => {
  expect(marked("aaaa b", "aa")).toBe("«aaaa» b");
  expect(marked("planning", "plan planning")).toBe("«planning»");
});

test("leaves a text alone that has nothing of it", () => {
  expect(piecesOf("nothing here", "zebra")).toEqual([{ text: "nothing here", isHit: false }]);
  expect(piecesOf("nothing here", "  ")).toEqual([{ text: "nothing here", isHit: false }]);
  expect(piecesOf("", "a")).toEqual([]);
});

test("takes signs of a pattern for what they are", () => {
  expect(marked("cost (net) 5.00", "(net) 5.0")).toBe("cost «(net)» «5.0»0");
});

test("a text holds a query that has all its words in it", () => {
  expect(holdsAll("Packing list for Lisbon", "lis PACK")).toBe(true);
  expect(holdsAll("Packing list for Lisbon", "pack porto")).toBe(false);
});
