import fc from "fast-check";
import { expect, test } from "vitest";
import { createJoin } from "./continuation.ts";

function join(before: string, pieces: readonly string[]): string {
  const joint = createJoin(before);
  return before + pieces.map((piece) => joint.push(piece)).join("") + joint.rest();
}

test("a continuation that does not repeat anything is joined as it is", () => {
  expect(join("The capi", ["tal of", " France"])).toBe("The capital of France");
});

test("words that the model repeats to find its place appear once", () => {
  const before = "It was a long road, and the hotel was clo";
  expect(join(before, ["and the hotel was ", "closed in May."])).toBe(
    "It was a long road, and the hotel was closed in May.",
  );
});

test("a short likeness is chance and stays", () => {
  expect(join("no, no, ", ["no, no!"])).toBe("no, no, no, no!");
});

test("nothing is lost, however the text is split, also inside an emoji family", () => {
  const text = "👨‍👩‍👧 und 中文，ende 🎉 ".repeat(20);
  fc.assert(
    fc.property(fc.nat({ max: text.length }), fc.array(fc.nat({ max: 30 }), { maxLength: 40 }), (cut, sizes) => {
      const pieces: string[] = [];
      let at = cut;
      for (const size of sizes) {
        pieces.push(text.slice(at, at + size));
        at += size;
      }
      pieces.push(text.slice(Math.min(at, text.length)));
      const joined = join("#".repeat(300), pieces);
      expect(joined).toBe("#".repeat(300) + text.slice(cut));
    }),
    { numRuns: 200 },
  );
});
