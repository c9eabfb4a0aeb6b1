/** Control characters: a terminal obeys them. Tab and newline are text; a carriage return would write over the line. */
const control = /(?![\t\n])\p{Cc}/gu;

/**
 * Text that a model, a file name or a document had a part in, as a terminal may be given it: shown, never obeyed.
 * It works character by character, so that text which streams is safe wherever it is cut.
 */
export const harmless = (text: string): string =>
  text.replace(control, (character) => (character === "\r" ? "" : "\u{FFFD}"));
