/** Controls, and characters that take no room or turn the direction of what follows. Line breaks and tabs are not among them. */
const unseen = /(?![\t\n])[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Zl}\p{Zp}\uFFF9-\uFFFB]/gu;

const pictureBefore = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier})\uFE0F?$/u;
const pictureAfter = /^\p{Extended_Pictographic}/u;
const keycapBefore = /[#*\d]$/;
/** Scripts in which joiners decide how letters are drawn. */
const joinedBefore =
  /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}]$/u;

/**
 * The same text with every character a reader could not see written out, as in `invoice[U+202E]fdp.exe`. What belongs to
 * an emoji or to how a script is written stays.
 */
export function visibleText(text: string): string {
  return text.replace(unseen, (character, offset: number) => {
    const before = text.slice(Math.max(0, offset - 3), offset);
    const after = text.slice(offset + character.length, offset + character.length + 2);
    return belongs(character, before, after) ? character : `[U+${hexadecimal(character)}]`;
  });
}

function belongs(character: string, before: string, after: string): boolean {
  if (character === "\r") return after.startsWith("\n");
  if (character === "\u200D" && pictureBefore.test(before)) return pictureAfter.test(after);
  if (character === "\u200C" || character === "\u200D") return joinedBefore.test(before);
  if (character === "\uFE0E" || character === "\uFE0F") return pictureBefore.test(before) || keycapBefore.test(before);
  return false;
}

const hexadecimal = (character: string) => (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
