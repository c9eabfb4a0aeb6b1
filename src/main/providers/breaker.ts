/** So many failures in a row, and a model is left alone for a while. */
const FAILURES = 3;
const OPEN_MS = 60_000;

interface State {
  failures: number;
  /** On a clock that only grows: since then it is left alone. Undefined: closed. */
  openedAt?: number;
}

/**
 * Remembers which models fail, by their keys, for as long as the app runs. One that failed three times in a row is not
 * asked for a minute; then one question is let through, and how that ends decides.
 */
export function createBreakers(monotonicMs: () => number) {
  const states = new Map<string, State>();

  return {
    /** Whether a model may be asked now. Who was admitted says afterwards how it went: with one of the three below. */
    admits(key: string): boolean {
      const state = states.get(key);
      if (state?.openedAt === undefined) return true;
      if (monotonicMs() - state.openedAt < OPEN_MS) return false;
      state.openedAt = monotonicMs(); // for everybody else, until it is known how this one ends
      return true;
    },
    succeeded(key: string): void {
      states.delete(key);
    },
    failed(key: string): void {
      const failures = (states.get(key)?.failures ?? 0) + 1;
      states.set(key, { failures, ...(failures >= FAILURES && { openedAt: monotonicMs() }) });
    },
    /** It was stopped, or failed in a way that says nothing about the model. */
    withdrew(key: string): void {
      const state = states.get(key);
      if (state?.openedAt !== undefined) state.openedAt = monotonicMs() - OPEN_MS;
    },
  };
}

export type Breakers = ReturnType<typeof createBreakers>;
