import { randomInt } from "node:crypto";

const timeDigits = 9; // base36 milliseconds: enough until the year 5188
const tailDigits = 5;
const tailRange = 36 ** tailDigits;

/**
 * Makes a source of ids: 14 characters, 0-9 and a-z, whose alphabetical order is the order they were made in.
 * One source never repeats or goes back, even when the clock does; two processes differ by 60 million random tails a millisecond.
 */
export function createIdSource(now: () => number, random: (range: number) => number = randomInt): () => string {
  let time = -1;
  let tail = 0;
  return () => {
    const current = Math.floor(now());
    if (current > time) {
      time = current;
      tail = random(tailRange);
    } else {
      tail += 1; // the same millisecond, or the clock was set back: go on from the last id
      if (tail === tailRange) {
        time += 1;
        tail = 0;
      }
    }
    return time.toString(36).padStart(timeDigits, "0") + tail.toString(36).padStart(tailDigits, "0");
  };
}

/** A new id of 14 characters that sorts after every id this process has made. */
export const newId: () => string = createIdSource(Date.now);

/** Milliseconds, with a fraction, on a clock that nobody can set: for durations and deadlines, never for dates. */
export function monotonicMs(): number {
  return performance.now();
}
