import type { Calibration } from "./threads.ts";

/** The library's limit on threads, which it looks at before each decode. */
export interface ThreadLimit {
  maxThreads: number;
}

export interface ThreadGuard {
  /** Before a request. */
  begin(): void;
  /** After each decoded token. */
  token(): void;
  /** After reading so many tokens of a prompt. */
  read(tokens: number, ms: number): void;
}

const slow = 6;
const hopeless = 20;
const strikesAllowed = 3;
const retryMs = 60_000;

/**
 * Takes threads away while something else needs the cores: llama.cpp's threads wait for each other, and a single one
 * that is kept waiting makes all of them a hundred times slower. They come back after a minute.
 */
export function createThreadGuard(
  limit: ThreadLimit,
  { threads, tokensPerSecond }: Calibration,
  now = () => performance.now(),
): ThreadGuard {
  const usualMs = 1000 / tokensPerSecond;
  let strikes = 0;
  let lowered = 0;
  let last = 0;
  limit.maxThreads = threads;

  function judge(msPerToken: number): void {
    if (msPerToken > hopeless * usualMs) strikes = strikesAllowed;
    else strikes = msPerToken > slow * usualMs ? strikes + 1 : 0;
    if (strikes < strikesAllowed || limit.maxThreads === 1) return;
    limit.maxThreads = Math.max(1, Math.floor(limit.maxThreads / 2));
    lowered = now();
    strikes = 0;
  }

  return {
    begin() {
      last = 0;
      if (limit.maxThreads < threads && now() - lowered > retryMs) limit.maxThreads = threads;
    },
    token() {
      const time = now();
      if (last > 0) judge(time - last);
      last = time;
    },
    // A token of a prompt is never slower than one of an answer.
    read: (tokens, ms) => judge(ms / tokens),
  };
}
