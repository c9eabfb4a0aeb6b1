import { monotonicMs } from "../lib/clock.ts";

/** What is happening to a model, in bytes of all its files. */
export interface FetchProgress {
  readonly phase: "download" | "verify";
  readonly done: number;
  readonly total: number;
}

export interface Reporter {
  report(progress: FetchProgress): void;
  /** Nothing more is told. */
  stop(): void;
}

const LEAST_MS = 250;

/** Tells at most four times a second, and never keeps the last word to itself: what was held back is told when its time has come. */
export function createReporter(onProgress: (progress: FetchProgress) => void): Reporter {
  let toldAt = Number.NEGATIVE_INFINITY;
  let told: FetchProgress | undefined;
  let next: FetchProgress | undefined;
  let timer: NodeJS.Timeout | undefined;

  function tell(progress: FetchProgress): void {
    clearTimeout(timer);
    timer = undefined;
    toldAt = monotonicMs();
    told = progress;
    onProgress(progress);
  }

  return {
    report(progress) {
      const waitMs = toldAt + LEAST_MS - monotonicMs();
      const isTurn = told?.phase !== progress.phase || progress.done >= progress.total;
      if (isTurn || waitMs <= 0) return tell(progress);
      next = progress;
      timer ??= setTimeout(() => next && tell(next), waitMs).unref();
    },
    stop: () => clearTimeout(timer),
  };
}

/** After so long without a byte there is no speed. */
const SPEED_OVER_MS = 3000;

/** Bytes in a second over the last seconds; 0 until that can be said. */
export function createSpeed(): (done: number) => number {
  const seen: { at: number; done: number }[] = [];
  return (done) => {
    const at = monotonicMs();
    seen.push({ at, done });
    while (seen.length > 2 && at - (seen[1]?.at ?? at) > SPEED_OVER_MS) seen.shift();
    const [first] = seen;
    if (!first || at - first.at < 1) return 0;
    return Math.max(0, Math.round(((done - first.done) / (at - first.at)) * 1000));
  };
}

/** Calls back once when nobody has fed it for as long as a speed is measured over. */
export function createLull(onLull: () => void): { feed(): void; stop(): void } {
  const timer = setTimeout(onLull, SPEED_OVER_MS).unref();
  return { feed: () => void timer.refresh(), stop: () => clearTimeout(timer) };
}
