const NO_BREAK = "\u00a0";

/** A length of time as the trace shows it: `6 ms`, `4.1 s`, `2 min 5 s`. Its signs are the same in every language. */
export function lengthOf(ms: number, language: string): string {
  const say = (value: number, digits: number, sign: string) =>
    `${new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value)}${NO_BREAK}${sign}`;
  if (ms < 999.5) return say(Math.round(ms), 0, "ms");
  if (ms < 59_950) return say(ms / 1000, 1, "s");
  const seconds = Math.round(ms / 1000);
  return `${say(Math.floor(seconds / 60), 0, "min")} ${say(seconds % 60, 0, "s")}`;
}

/** A whole number with the separators of the language. */
export const wholeOf = (value: number, language: string): string =>
  new Intl.NumberFormat(language, { maximumFractionDigits: 0 }).format(value);

/** Tokens at a glance: `2.5k`, `640`; the window of a model in the thousands it is named after: `8k`. */
export function tokensOf(tokens: number, language: string): string {
  if (tokens < 1000) return wholeOf(tokens, language);
  const thousands = new Intl.NumberFormat(language, { maximumFractionDigits: tokens < 9950 ? 1 : 0 });
  return `${thousands.format(tokens / (tokens % 1024 === 0 ? 1024 : 1000))}k`;
}
