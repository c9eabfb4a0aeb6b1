import type { AppError, ErrorCode } from "../../shared/errors.ts";

/**
 * The failures that pass, or that another model would not have: how often the same model is asked again. What is not
 * in the table is not mended by asking, and ends the answer as it is.
 */
const triesAgain: Partial<Readonly<Record<ErrorCode, number>>> = {
  "rate-limited": 3,
  overloaded: 3,
  "provider-failed": 3,
  timeout: 3,
  offline: 1,
  "engine-crashed": 1, // it is started again; a second crash is the model's
  quota: 0,
};

/** Before the second, the third and the fourth try. */
const waitsMs = [1_000, 2_000, 4_000];
/** Many that failed at once do not come back at once. */
const JITTER = 0.25;
/** Whoever wants to be left alone for longer is not waited for. */
const LONGEST_WAIT_MS = 60_000;

/** Whether another model may be asked instead: never where the question itself was refused, or a person has to decide. */
export const isPassing = ({ code }: AppError): boolean => triesAgain[code] !== undefined;

/** A next try of the same model. */
export interface NextTry {
  readonly attempt: number;
  readonly of: number;
  readonly waitMs: number;
}

/**
 * What follows a model's failure number `failed` (1, 2, …) of one question: how long to wait before it is asked again,
 * or undefined when it is not. What the other side asks for wins over our own waits. `random` gives [0, 1).
 */
export function nextTry(error: AppError, failed: number, random: () => number): NextTry | undefined {
  const most = triesAgain[error.code] ?? 0;
  const own = waitsMs[failed - 1];
  if (failed > most || own === undefined || (error.retryAfterMs ?? 0) > LONGEST_WAIT_MS) return undefined;
  const jittered = own * (1 + JITTER * (2 * random() - 1));
  return { attempt: failed + 1, of: most + 1, waitMs: Math.round(Math.max(0, error.retryAfterMs ?? jittered)) };
}

/** Units of a wait, each up to where the next one says it better. */
const units = [
  ["s", 1, 120],
  ["min", 60, 7_200],
  ["h", 3_600, 172_800],
  ["days", 86_400, 365 * 86_400],
] as const;

/** A wait as people say it, rounded up, so that nobody comes too early. */
export function waitInWords(ms: number): string {
  const seconds = ms / 1000;
  const [unit, size] = units.find(([, , below]) => seconds <= below) ?? [];
  return unit === undefined ? "more than a year" : `${Math.ceil(seconds / size)} ${unit}`;
}
