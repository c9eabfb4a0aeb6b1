import type { Answer, Finish, Piece, Tokens } from "./script.ts";

/** Answers that every vendor is made to give. */

export const tokens: Tokens = { input: 1200, output: 90, cached: 1024, thought: 30 };

export const answer = (pieces: readonly Piece[], finish: Finish = "stop"): Answer => ({ pieces, finish, tokens });

/** Text in pieces of a few characters, never inside one. */
export const texts = (text: string, size = 4): Piece[] => cut(text, size).map((piece) => ({ text: piece }));
export const thoughts = (text: string, size = 6): Piece[] => cut(text, size).map((piece) => ({ reasoning: piece }));

/** A call whose arguments come in pieces of so many characters. */
export const calling = (call: number, id: string, name: string, input: object, size = 1000): Piece[] => [
  { call, id, name },
  ...cut(JSON.stringify(input), size).map((piece) => ({ call, arguments: piece })),
];

function cut(text: string, size: number): string[] {
  const characters = [...text];
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += size) pieces.push(characters.slice(at, at + size).join(""));
  return pieces;
}

export const english = "The code is 4711.\n\nIt stands in `a.txt`, line 2.";
export const chinese = "答案是四千七百一十一。👩‍👩‍👧‍👦 家庭 🇨🇳 ｆｕｌｌ  zero\u200bwidth";
export const reasons = "The person asks for the code. I read the file first.";

/** 2 × 2 points, red. */
export const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==";
