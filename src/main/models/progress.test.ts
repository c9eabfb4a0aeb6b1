import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLull, createReporter, type FetchProgress } from "./progress.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const told: FetchProgress[] = [];
const piece = (done: number, phase: FetchProgress["phase"] = "download") => ({ phase, done, total: 1000 });
beforeEach(() => void told.splice(0));

test("progress is told at most four times a second, and the last of it is not kept back", () => {
  const { report } = createReporter((progress) => told.push(progress));
  for (let done = 0; done < 100; done++) {
    report(piece(done));
    vi.advanceTimersByTime(20);
  }
  expect(told.length).toBeLessThanOrEqual(9);
  vi.advanceTimersByTime(1000);
  expect(told.at(-1)?.done).toBe(99);
});

test("another phase and the end are told at once", () => {
  const { report } = createReporter((progress) => told.push(progress));
  for (const progress of [piece(1), piece(2, "verify"), piece(3, "verify"), piece(1000, "verify")]) report(progress);
  expect(told.map(({ done }) => done)).toEqual([1, 2, 1000]);
  vi.advanceTimersByTime(1000);
  expect(told.map(({ done }) => done)).toEqual([1, 2, 1000]); // what was held back before the end is old
});

test("nothing is told after the stop", () => {
  const { report, stop } = createReporter((progress) => told.push(progress));
  report(piece(1));
  report(piece(2));
  stop();
  vi.advanceTimersByTime(1000);
  expect(told).toHaveLength(1);
});

test("a lull is told when nothing came for a while, and again after what came then", () => {
  let lulls = 0;
  const lull = createLull(() => lulls++);
  for (let at = 0; at < 5; at++) {
    vi.advanceTimersByTime(2000);
    lull.feed();
  }
  expect(lulls).toBe(0);
  vi.advanceTimersByTime(3000);
  expect(lulls).toBe(1);
  lull.feed();
  vi.advanceTimersByTime(3000);
  expect(lulls).toBe(2);
  lull.feed();
  lull.stop();
  vi.advanceTimersByTime(9000);
  expect(lulls).toBe(2);
});
