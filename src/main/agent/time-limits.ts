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
      const limit = deadline === undefined ? limits.requestMs : Math.min(limits.idleMs, deadline - performance.now());
      const event = withinTime(events.next(), limit, (ms) => {
        if (deadline !== undefined) deadline += ms;
      });
      const result = await Promise.race([event, stopped.promise]);
      if (result.done) return;
      if (result.value.type !== "progress") deadline ??= performance.now() + limits.streamMs;
      yield result.value;
    }
  } finally {
    own.abort();
    stopped.forget();
  }
}

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

/** The promise, or AppError `timeout` after `ms`. After a sleep the limit begins anew, once, and how long it was is told. */
async function withinTime<T>(promise: Promise<T>, ms: number, onSlept: (ms: number) => void): Promise<T> {
  const { promise: limit, reject } = Promise.withResolvers<never>();
  const left = Math.max(0, ms);
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
    reject(new AppError("timeout", `The model gave no sign of life for ${Math.round(left / 1000)} s.`));
  }

  promise.catch(() => undefined); // given up after a timeout: its late failure has been reported as that
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}
