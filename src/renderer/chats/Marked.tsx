import { piecesOf } from "./hits.ts";

/** A text with what was looked for marked in it. */
export function Marked({ text, query }: { text: string; query: string }) {
  let at = 0;
  return piecesOf(text, query).map((piece) => {
    const key = at;
    at += piece.text.length;
    return piece.isHit ? <mark key={key}>{piece.text}</mark> : <span key={key}>{piece.text}</span>;
  });
}
