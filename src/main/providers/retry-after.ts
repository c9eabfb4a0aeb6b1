/** Waits that a server asks for, in the headers it may use and in the words of those who use none. */
const inHeaders: readonly { readonly name: string; readonly ms: (value: string, now: number) => number }[] = [
  { name: "retry-after-ms", ms: Number },
  { name: "retry-after", ms: secondsOrDate },
];

/** Google: "retryDelay": "34s"; others: "Please try again in 7.66s" or "in 1m2s". */
const inWords =
  /(?:"retryDelay":\s*"|(?:try again|retry) (?:in|after) )(\d+(?:\.\d+)?(?:ms|h|m|s)(?:\d+(?:\.\d+)?(?:m|s))*)/i;

/** Milliseconds that the other side asks to wait; undefined: it did not say, or what it said is no time to come. */
export function retryAfterOf(
  headers: Readonly<Record<string, string>>,
  body: string,
  now: number = Date.now(),
): number | undefined {
  const told = inHeaders.flatMap(({ name, ms }) => (headers[name] === undefined ? [] : [ms(headers[name], now)]));
  const [, words] = inWords.exec(body) ?? [];
  return [...told, ...(words === undefined ? [] : [durationMs(words)])].find((ms) => Number.isFinite(ms) && ms > 0);
}

function secondsOrDate(value: string, now: number): number {
  if (/^\d+(\.\d+)?$/.test(value.trim())) return Number(value) * 1000;
  return Math.max(0, Date.parse(value) - now);
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** "7.66s", "1m2s", "120ms"; not a number where it is nothing of the kind. */
function durationMs(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)];
  if (parts.length === 0) return Number.NaN;
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * (units[unit ?? ""] ?? 0), 0);
}
