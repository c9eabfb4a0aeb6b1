/** Tokens a character, by what it is: a vendor's tokenizer cannot be asked. Errs towards too many. */
const ASCII = 0.3;
const IDEOGRAPH = 1.1;
const OTHER = 0.7;

/** About how many tokens a text has for a large model. Linear, and quick enough for megabytes. */
export function estimatedTokens(text: string): number {
  let tokens = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    tokens += code < 0x80 ? ASCII : code >= 0x2e80 && code < 0xd800 ? IDEOGRAPH : OTHER;
  }
  return Math.ceil(tokens);
}
