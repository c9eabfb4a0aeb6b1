/** Calls that may come at once, and calls a second that come back. A page at its busiest makes some tens. */
const BURST = 2_000;
const PER_SECOND = 500;

/** Says for each call whether it may be answered. `monotonicMs`: milliseconds that only grow. */
export function createRateLimit(monotonicMs: () => number): () => boolean {
  let left = BURST;
  let seen = monotonicMs();
  return () => {
    const now = monotonicMs();
    left = Math.min(BURST, left + ((now - seen) / 1000) * PER_SECOND);
    seen = now;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
