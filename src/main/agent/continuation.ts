/** Repeated words shorter than this may be chance ("the the"), longer ones are the model finding its place again. */
const SHORTEST_REPEAT = 12;
const LONGEST_REPEAT = 240;
/** A continuation that says so much of the whole text again has begun anew. */
const SHORTEST_RESTART = 40;

/** What a model that cannot continue in place is asked. */
export const continueNote = (text: string): string =>
  `Your answer was cut off. Continue exactly after these last words, without repeating them: "${endOf(text)}"`;

/** Its last words, and no half of a character before them. */
const endOf = (text: string): string => text.slice(-80).replace(/^[\uDC00-\uDFFF]/, "");

/**
 * Joins a continuation to the text before it: words of the end that the continuation repeats are cut from it, and so is
 * everything that it says again when it begins at the beginning. Text is held back until it is long enough to tell, so
 * call `rest` at the end of the stream.
 */
export function createJoin(before: string) {
  let held = "";
  let decided = before === "";
  /** It began at the beginning: so much of `before` it has said again. */
  let repeated = 0;

  function release(): string {
    decided = true;
    const text = held;
    held = "";
    const isLong = Math.min(before.length, text.length) >= SHORTEST_RESTART;
    const isRestart = isLong && (before.startsWith(text) || text.startsWith(before));
    return isRestart ? newIn(text) : text.slice(repeatedLength(before, text));
  }

  /** As long as it says the same, nothing is new. */
  function newIn(text: string): string {
    const same = sameLength(before.slice(repeated), text);
    repeated = same < text.length ? 0 : repeated + same;
    return text.slice(same);
  }

  return {
    push(text: string): string {
      if (decided) return repeated > 0 ? newIn(text) : text;
      held += text;
      return held.length < LONGEST_REPEAT ? "" : release();
    },
    rest: (): string => (decided ? "" : release()),
  };
}

/** Characters at the beginning of `text` that repeat the end of `before`. */
function repeatedLength(before: string, text: string): number {
  const most = Math.min(before.length, text.length, LONGEST_REPEAT);
  for (let length = most; length >= SHORTEST_REPEAT; length--) {
    if (before.endsWith(text.slice(0, length))) return length;
  }
  return 0;
}

/** Characters that two texts have in common from their beginning on. */
function sameLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length++;
  return length;
}
