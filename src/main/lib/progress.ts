const LEAST_MS = 200;

/** Told how much of something is done, in the unit of the total. */
export type Progress = (done: number, total: number) => void;

/** Passes progress on, its first and last word and in between at most one in 200 ms: enough for eyes, and no flood for a listener. */
export function sparing(tell: Progress, monotonicMs: () => number): Progress {
  let told = Number.NEGATIVE_INFINITY;
  return (done, total) => {
    const now = monotonicMs();
    if (done < total && now - told < LEAST_MS) return;
    told = now;
    tell(done, total);
  };
}
