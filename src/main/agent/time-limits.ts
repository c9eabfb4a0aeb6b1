import { AppError } from "../../shared/errors.ts";
import type { ModelEvent } from "../../shared/inference.ts";

export interface TimeLimits {
  /** Milliseconds until the first token, begun anew with each sign of progress. */
  readonly requestMs: number;
  /** Milliseconds from the first token to the end. */
  readonly streamMs: number;
  /** Milliseconds between two events. */
  readonly idleMs: number;
}

/** How long a provider may take to end by itself after a stop, so that its last words are kept. */
const ABORT_GRACE_MS = 150;
/** A limit that is noticed so much later than it was due: the computer slept, and the model with it. */
const SLEPT_MS = 5_000;

/**
 * Passes a model's events on and ends a stream that hangs: throws AppError `timeout`, or `aborted` when the person
 * stopped it and the provider does not end by itself. A prompt that is still being read counts as progress: on a
 * small computer it may take minutes. Time that the computer slept through is given back, once between two events.
 */
export async function* withinLimits(
  start: (signal: AbortSignal) => AsyncIterable<ModelEvent>,
  signal: AbortSignal,
  limits: TimeLimits,
): AsyncGenerator<ModelEvent> {
  const own = new AbortController();
  const stopped = afterAbort(signal);
  const events = start(AbortSignal.any([signal, own.signal]))[Symbol.asyncIterator]();
  let deadline: number | undefined;
  try {
    while (true) {
      const silence = deadline === undefined ? limits.requestMs : limits.idleMs;
      const left = (deadline ?? Number.POSITIVE_INFINITY) - performance.now();
      const tooLong = () => (left < silence ? endless(limits.streamMs) : silent(silence));
      const event = withinTime(events.next(), Math.min(silence, left), tooLong, (ms) => {
        if (deadline !== undefined) deadline += ms;
      });
      const result = await Promise.race([event, stopped.promise]);
      if (result.done) return;
      if (!beforeTheAnswer.has(result.value.type)) deadline ??= performance.now() + limits.streamMs;
      yield result.value;
    }
  } finally {
    own.abort();
    stopped.forget();
  }
}

/** What comes while the model has said nothing yet: it is not timed as one that writes. */
const beforeTheAnswer: ReadonlySet<ModelEvent["type"]> = new Set(["progress", "sent", "trip"]);

const silent = (ms: number): AppError =>
  new AppError("timeout", `The model gave no sign of life for ${inSeconds(ms)}.`);

const endless = (ms: number): AppError =>
  new AppError("timeout", `The model was still writing after ${inSeconds(ms)}, and was stopped.`);

const inSeconds = (ms: number): string => `${Math.round(ms / 1000)} s`;

/** A promise that rejects a moment after the signal fired. */
function afterAbort(signal: AbortSignal) {
  const { promise, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => reject(new AppError("aborted", "Stopped.")), ABORT_GRACE_MS);
  };
  promise.catch(() => undefined); // nobody may be waiting when it rejects
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return {
    promise,
    forget(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    },
  };
}

/** The promise, or what `tooLong` says after `ms`. After a sleep the limit begins anew, once, and how long it was is told. */
async function withinTime<T>(
  promise: Promise<T>,
  ms: number,
  tooLong: () => AppError,
  onSlept: (ms: number) => void,
): Promise<T> {
  const { promise: limit, reject } = Promise.withResolvers<never>();
  const left = Math.ceil(Math.max(0, ms)) + 1; // a timer may come up to a millisecond early
  let timer = begin((late) => {
    onSlept(late);
    timer = begin(giveUp);
  });

  function begin(onLate: (late: number) => void): NodeJS.Timeout {
    const due = performance.now() + left;
    return setTimeout(() => {
      const late = performance.now() - due;
      if (late > SLEPT_MS) onLate(late);
      else giveUp();
    }, left);
  }

  function giveUp(): void {
    reject(tooLong());
  }

  promise.catch(() => undefined); // given up after a timeout: its late failure has been reported as that
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}
