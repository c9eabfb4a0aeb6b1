import { describe, expect, test } from "vitest";
import { createThreadGuard } from "./thread-guard.ts";

/** A guard on 4 threads that usually take 10 ms a token, and a clock that is moved by hand. */
function guarded() {
  const limit = { maxThreads: 16 };
  let time = 1000;
  const guard = createThreadGuard(limit, { threads: 4, tokensPerSecond: 100 }, () => time);
  const pass = (ms: number) => {
    time += ms;
  };
  const tokens = (...gaps: number[]) => {
    guard.begin();
    guard.token();
    for (const gap of gaps) {
      pass(gap);
      guard.token();
    }
  };
  return { limit, guard, pass, tokens };
}

describe("the guard of the threads", () => {
  test("leaves them alone while tokens come as usual", () => {
    const { limit, tokens } = guarded();
    tokens(10, 12, 50, 70, 9, 70, 70, 10);
    expect(limit.maxThreads).toBe(4);
  });

  test("takes half of them when tokens stay slow, or one is hopeless, but never the last", () => {
    const { limit, tokens } = guarded();
    tokens(70, 70, 70);
    expect(limit.maxThreads).toBe(2);
    tokens(2900);
    expect(limit.maxThreads).toBe(1);
    tokens(2900);
    expect(limit.maxThreads).toBe(1);
  });

  test("sees it in the reading of a prompt too", () => {
    const { limit, guard } = guarded();
    guard.read(64, 64 * 250);
    expect(limit.maxThreads).toBe(2);
  });

  test("does not count the time between two requests", () => {
    const { limit, pass, tokens } = guarded();
    tokens(10);
    pass(100_000);
    tokens(10);
    expect(limit.maxThreads).toBe(4);
  });

  test("gives them back after a minute", () => {
    const { limit, pass, tokens } = guarded();
    tokens(2900);
    pass(50_000);
    tokens(10);
    expect(limit.maxThreads).toBe(2);
    pass(20_000);
    tokens(10);
    expect(limit.maxThreads).toBe(4);
  });
});
