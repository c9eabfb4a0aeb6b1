const SLICE = 8_000;

/** A long text in pieces that a browser lays out one by one: cut behind a line break where there is one. */
export function slicesOf(text: string, size = SLICE): string[] {
  const slices: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = endOf(text, start, size);
    slices.push(text.slice(start, end));
    start = end;
  }
  return slices;
}

function endOf(text: string, start: number, size: number): number {
  if (text.length - start <= size) return text.length;
  const end = start + size;
  const line = text.slice(start, end).lastIndexOf("\n") + 1; // never looked for before the slice
  if (line > 0) return start + line;
  const code = text.charCodeAt(end);
  return code >= 0xdc00 && code <= 0xdfff ? end - 1 : end; // never between the halves of one character
}
