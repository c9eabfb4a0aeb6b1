/** A text of more characters than this is shown as it is. */
export const MAX_TEXT = 400_000;
/** Code is not parsed as Markdown and may be longer than the rest. */
export const MAX_CODE = 100_000;
const MAX_BLOCK = 30_000;
const MAX_LINES = 500;
const MAX_PIPES = 4_000;
const MAX_NESTING = 100;
/** Squares of marks, because parsers pair them: about 2,000 marks in one paragraph. */
const MAX_MARKS = 4_000_000;

const marker = /(?:[>*+-]|\d{1,9}[.)])/y;
const startsParagraph = /^\s*(?:$|[*+-]\s|\d{1,9}[.)]\s|#)/;
const markCharacters = new Set("*_~[]$`<@&!");

/** Whether a text must not reach any parser at all: too long, or nested too deep. Linear, and looks at no line twice. */
export function isTooMuch(text: string): boolean {
  if (text.length > MAX_TEXT) return true;
  for (let start = 0; start < text.length; start = lineEnd(text, start) + 1) {
    if (nestingAt(text, start) > MAX_NESTING) return true;
  }
  return false;
}

/** Whether one block of Markdown would take long to parse or to lay out. Linear. */
export function isHeavy(block: string): boolean {
  if (block.length > MAX_BLOCK) return true;
  let lines = 0;
  let pipes = 0;
  let marks = 0;
  let cost = 0;
  for (const line of block.split("\n")) {
    lines += 1;
    if (startsParagraph.test(line)) {
      cost += marks * marks;
      marks = 0;
    }
    for (const character of line) {
      if (character === "|") pipes += 1;
      else if (markCharacters.has(character)) marks += 1;
    }
  }
  return lines > MAX_LINES || pipes > MAX_PIPES || cost + marks * marks > MAX_MARKS;
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end === -1 ? text.length : end;
}

/** How deep the line that starts here is nested: its quote and list marks, or the room in front of it. */
function nestingAt(text: string, start: number): number {
  let depth = 0;
  let columns = 0;
  let at = start;
  while (at < text.length && depth <= MAX_NESTING) {
    const character = text[at];
    if (character === " " || character === "\t") {
      columns += character === "\t" ? 4 : 1;
      at += 1;
      continue;
    }
    marker.lastIndex = at;
    const [found] = marker.exec(text) ?? [];
    if (found === undefined || (found !== ">" && !/\s/.test(text[at + found.length] ?? "\n"))) break;
    depth += 1;
    at += found.length;
  }
  return Math.max(depth, columns / 2);
}
