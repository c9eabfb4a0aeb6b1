/** A time in words: the key of the word and its figure. */
export interface Duration {
  readonly key: "conversation.seconds" | "conversation.milliseconds";
  readonly value: string;
}

/** Milliseconds as people read them: `340 ms`, `1.2 s`, `75 s`. */
export function durationOf(ms: number, language: string): Duration {
  const whole = Math.round(ms);
  if (whole < 1_000) return { key: "conversation.milliseconds", value: format(whole, language, 0) };
  return { key: "conversation.seconds", value: format(ms / 1_000, language, ms < 10_000 ? 1 : 0) };
}

const format = (value: number, language: string, digits: number): string =>
  new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value);
