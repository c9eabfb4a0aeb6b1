import fc from "fast-check";
import { expect, test } from "vitest";
import { cutBlocks, definitionsOf } from "./blocks.ts";

const brief = (text: string) => cutBlocks(text).blocks.map(({ kind, text }) => `${kind}: ${text}`);

test("paragraphs, lists and code are blocks of their own", () => {
  expect(brief("One\ntwo\n\n- a\n\n- b\n\n```js\ncode\n\nmore\n```\n\nEnd")).toEqual([
    "markdown: One\ntwo",
    "markdown: - a\n\n- b",
    "code: code\n\nmore",
    "markdown: End",
  ]);
});

test("code keeps its language and nothing else of what stands behind the fence", () => {
  const [block] = cutBlocks('```TypeScript title="x" {1,2}\na\n```').blocks;
  expect(block).toEqual({ kind: "code", text: "a", language: "typescript" });
});

test("math is one block, whatever it looks like", () => {
  expect(brief("Before\n\n$$\na\n=\n\n- b\n$$\n\nAfter")).toEqual([
    "markdown: Before",
    "markdown: $$\na\n=\n\n- b\n$$",
    "markdown: After",
  ]);
  expect(brief("\\[\na\n\n# b\n\\]\n\nAfter")).toEqual(["markdown: \\[\na\n\n# b\n\\]", "markdown: After"]);
});

test("a definition is kept for the links of other blocks", () => {
  const half = cutBlocks("See [a][r].\n\n[r]: https://a.te");
  const cut = cutBlocks("See [a][r].\n\n[r]: https://a.test\n", half);
  expect(definitionsOf(cut)).toBe("[r]: https://a.test");
});

test("a text with footnotes is one block, so that their numbers fit", () => {
  expect(brief("A[^1].\n\nB[^2].\n\n[^1]: one\n[^2]: two")).toHaveLength(1);
});

test("what is too much is whole and plain, and the rest around heavy blocks stays formatted", () => {
  expect(cutBlocks("> ".repeat(20_000)).blocks).toMatchObject([{ kind: "plain" }]);
  expect(brief(`# Title\n\n${"a*b_ ".repeat(2_000).trim()}\n\nEnd`).map((block) => block.slice(0, 12))).toEqual([
    "markdown: # ",
    "plain: a*b_ ",
    "markdown: En",
  ]);
});

test("a text that grows keeps the very blocks that are finished", () => {
  const first = cutBlocks("One\n\nTwo\n\nThree");
  const second = cutBlocks("One\n\nTwo\n\nThree and\n\nfour", first);
  expect(second.blocks[0]).toBe(first.blocks[0]);
  expect(second.blocks.map(({ text }) => text)).toEqual(["One", "Two", "Three and", "four"]);
});

test("cut as it grows or at once, the blocks are the same", () => {
  const piece = fc.constantFrom(
    "word ",
    "\n",
    "\n\n",
    "- item\n",
    "  - deeper\n",
    "1. one\n",
    "> quote\n",
    "```js\n",
    "```\n",
    "$$\n",
    "\\[",
    "\\]\n",
    "# Title\n",
    "|a|b|\n|-|-|\n",
    "|1|2|\n",
    "---\n",
    "===\n",
    "    code\n",
    "[r]: https://a.test\n",
    "<b>\n",
    "**",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      let text = "";
      let grown = cutBlocks("");
      for (const one of pieces) {
        text += one;
        grown = cutBlocks(text, grown);
      }
      expect(grown.blocks).toEqual(cutBlocks(text).blocks);
    }),
    { numRuns: 500 },
  );
});
