import { describe, expect, test } from "vitest";
import { AppError, type ErrorCode, errorCodes } from "../../shared/errors.ts";
import { isPassing, nextTry, waitInWords } from "./retry.ts";

const failure = (code: ErrorCode, retryAfterMs?: number) => new AppError(code, "No.", undefined, retryAfterMs);
const middle = () => 0.5;
/** The waits after each failure, until nobody tries again. */
function waits(error: AppError, random = middle): number[] {
  const found: number[] = [];
  for (let failed = 1; ; failed++) {
    const next = nextTry(error, failed, random);
    if (!next) return found;
    expect(next.attempt).toBe(failed + 1);
    found.push(next.waitMs);
  }
}

describe("the same model is asked again", () => {
  test.each<[ErrorCode, number[]]>([
    ["rate-limited", [1_000, 2_000, 4_000]],
    ["overloaded", [1_000, 2_000, 4_000]],
    ["provider-failed", [1_000, 2_000, 4_000]],
    ["timeout", [1_000, 2_000, 4_000]],
    ["offline", [1_000]],
    ["engine-crashed", [1_000]],
  ])("after %s with these waits: %j", (code, expected) => {
    expect(waits(failure(code))).toEqual(expected);
    expect(nextTry(failure(code), 1, middle)?.of).toBe(expected.length + 1);
  });

  const others = errorCodes.filter((code) => waits(failure(code)).length === 0);

  test("and after nothing else", () => {
    expect(others).toHaveLength(errorCodes.length - 6);
    expect(others).toEqual(
      expect.arrayContaining<ErrorCode>([
        ...(["quota", "key-missing", "key-refused", "key-locked", "model-gone", "request-refused"] as const),
        ...(["context-overflow", "local-mode", "consent-needed", "never-cloud", "aborted", "internal"] as const),
      ]),
    );
  });

  test("another model is asked only where it may have what this one has not", () => {
    expect(errorCodes.filter((code) => isPassing(failure(code))).sort()).toEqual([
      ...["engine-crashed", "offline", "overloaded", "provider-failed", "quota", "rate-limited", "timeout"],
    ]);
  });
});

describe("the wait", () => {
  test("is a quarter shorter or longer by chance", () => {
    expect(waits(failure("overloaded"), () => 0)).toEqual([750, 1_500, 3_000]);
    expect(waits(failure("overloaded"), () => 0.9999)).toEqual([1_250, 2_500, 5_000]);
  });

  test.each([
    ["is what the other side asks for", 7_000, [7_000, 7_000, 7_000]],
    ["may be none", 0, [0, 0, 0]],
    ["is none where the time is over", -5_000, [0, 0, 0]],
    ["may be a minute", 60_000, [60_000, 60_000, 60_000]],
    ["is not waited for where it is longer than a minute", 60_001, []],
    ["is not waited for where it is absurd", Number.MAX_SAFE_INTEGER, []],
  ])("%s", (_what, retryAfterMs, expected) => {
    expect(waits(failure("rate-limited", retryAfterMs))).toEqual(expected);
  });

  test.each([
    [0, "0 s"],
    [1, "1 s"],
    [61_000, "61 s"],
    [121_000, "3 min"],
    [7_200_001, "3 h"],
    [3 * 86_400_000, "3 days"],
    [Number.MAX_SAFE_INTEGER, "more than a year"],
    [Number.POSITIVE_INFINITY, "more than a year"],
  ])("%d ms is said as %s", (ms, words) => {
    expect(waitInWords(ms)).toBe(words);
  });
});
