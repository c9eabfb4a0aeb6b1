/** Cuts a text into pieces of at most `most` characters, at line ends where it can, never inside of a character. */
export function piecesOf(text: string, most: number): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const to = cutAfter(text, from, most);
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

function cutAfter(text: string, from: number, most: number): number {
  const limit = from + most;
  if (limit >= text.length) return text.length;
  const line = text.slice(from, limit).lastIndexOf("\n") + 1; // never looks back further than the piece
  if (line > 0) return from + line;
  const isInside = /[\uDC00-\uDFFF]/.test(text.charAt(limit)) && limit - 1 > from;
  return isInside ? limit - 1 : limit;
}
