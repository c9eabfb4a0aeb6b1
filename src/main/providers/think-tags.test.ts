import { describe, expect, test } from "vitest";
import { createThinkTags, type Piece } from "./think-tags.ts";

/** What comes out of a text that arrives in these pieces, neighbours joined. */
function told(pieces: readonly string[]): Piece[] {
  const tags = createThinkTags();
  const all = [...pieces.flatMap((piece) => tags.push(piece)), ...tags.end()];
  const joined: Piece[] = [];
  for (const piece of all) {
    const last = joined.at(-1);
    if (last?.type === piece.type) joined[joined.length - 1] = { ...last, text: last.text + piece.text };
    else joined.push(piece);
  }
  return joined;
}

const text = (said: string): Piece => ({ type: "text", text: said });
const reasoning = (thought: string): Piece => ({ type: "reasoning", text: thought });

const rows: readonly { said: string; is: readonly Piece[] }[] = [
  { said: "<think>I add.</think>\n\nFour.", is: [reasoning("I add."), text("Four.")] },
  { said: "\n <thinking>先想一想 < 想</thinking>四。", is: [reasoning("先想一想 < 想"), text("四。")] },
  { said: "<think></think>Four.", is: [text("Four.")] },
  { said: "<think>It never ends </thi", is: [reasoning("It never ends </thi")] },
  { said: "<think>a</think>b <think>c</think>", is: [reasoning("a"), text("b <think>c</think>")] },
  { said: "The tag <think> opens.</think>", is: [text("The tag <think> opens.</think>")] },
  { said: "<thinks> no", is: [text("<thinks> no")] },
  { said: "  <", is: [text("  <")] },
  { said: " leading space", is: [text(" leading space")] },
];

describe("reasoning between tags", () => {
  for (const { said, is } of rows) {
    test(`is told apart wherever the stream is cut: ${JSON.stringify(said)}`, () => {
      expect(told([said])).toEqual(is);
      expect(told([...said])).toEqual(is);
      for (let at = 1; at < said.length; at++) {
        for (let next = at; next < said.length; next++)
          expect(told([said.slice(0, at), said.slice(at, next), said.slice(next)])).toEqual(is);
      }
    });
  }
});
