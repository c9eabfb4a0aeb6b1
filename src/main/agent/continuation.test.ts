import fc from "fast-check";
import { describe, expect, test } from "vitest";
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

describe("a model that begins at the beginning again", () => {
  const story = Array.from({ length: 60 }, (_, at) => `This is sentence ${at} of it. `).join("");

  test("says nothing twice, however its text is split", () => {
    fc.assert(
      fc.property(fc.integer({ min: 300, max: story.length }), fc.integer({ min: 1, max: 400 }), (cut, size) => {
        const pieces = Array.from({ length: Math.ceil(story.length / size) }, (_, at) =>
          story.slice(at * size, (at + 1) * size),
        );
        expect(join(story.slice(0, cut), pieces)).toBe(story);
      }),
    );
  });

  test("and breaks off before it comes to something new, has said nothing", () => {
    expect(join(story, [story.slice(0, 100)])).toBe(story);
    expect(join(story, [story.slice(0, 300), story.slice(300, 500)])).toBe(story);
  });

  test("and goes another way is heard from there on", () => {
    expect(join(story, [story.slice(0, 300), `${story.slice(300, 320)}#Or else.`])).toBe(`${story}#Or else.`);
  });

  test("a short beginning that comes again is chance", () => {
    expect(join(`This is it. ${"x".repeat(300)}`, ["This is it. Again."])).toMatch(/xThis is it\. Again\.$/);
  });
});
