import { AppError } from "../../shared/errors.ts";

/** Longer than any key there is; a service account of Google in JSON is no key that a header can carry. */
const MOST_CHARACTERS = 8192;

/** What is wrong with text that is no key, the first that applies. None of it repeats the text. */
const faults: readonly (readonly [fault: RegExp, words: string])[] = [
  [/^$/, "The key is empty. Paste it again."],
  [/[\r\n]/, "The key has a line break in it. Copy it alone, without what stands around it."],
  [/\s/, "The key has a space in it. Copy it alone, without what stands around it."],
  [/[\p{Cc}\p{Cf}]/u, "The key has invisible characters in it. Copy it from where it was made."],
  [/[^\x21-\x7e]/, "The key has characters that no key has. Copy it from where it was made."],
];

/** A key as it is kept: what was typed or pasted, without the space around it. Throws bad-request with what is wrong. */
export function checkedKey(pasted: string): string {
  if (pasted.length > MOST_CHARACTERS * 2) throw tooLong();
  const key = pasted.trim();
  if (key.length > MOST_CHARACTERS) throw tooLong();
  const fault = faults.find(([pattern]) => pattern.test(key));
  if (fault) throw new AppError("bad-request", fault[1]);
  return key;
}

const tooLong = () => new AppError("bad-request", "That is too long for a key. Copy it alone.");
