import { expect, test } from "vitest";
import { createBreakers } from "./breaker.ts";

/** Breakers on a clock that the test moves. */
function aClock() {
  let ms = 5;
  const pass = (more: number): void => {
    ms += more;
  };
  return { breakers: createBreakers(() => ms), pass };
}

test("a model that failed three times in a row is left alone for a minute", () => {
  const { breakers, pass } = aClock();
  for (let n = 0; n < 3; n++) {
    expect(breakers.admits("a")).toBe(true);
    breakers.failed("a");
  }
  expect(breakers.admits("a")).toBe(false);
  expect(breakers.admits("b")).toBe(true);
  pass(59_999);
  expect(breakers.admits("a")).toBe(false);
  pass(1);
  expect(breakers.admits("a")).toBe(true);
});

test("an answer in between begins the count anew", () => {
  const { breakers } = aClock();
  breakers.failed("a");
  breakers.failed("a");
  breakers.succeeded("a");
  breakers.failed("a");
  breakers.failed("a");
  expect(breakers.admits("a")).toBe(true);
});

function anOpenOne() {
  const { breakers, pass } = aClock();
  for (let n = 0; n < 3; n++) breakers.failed("a");
  pass(60_000);
  return { breakers, pass };
}

test("after the minute one question is let through, and no second one beside it", () => {
  const { breakers } = anOpenOne();
  expect([breakers.admits("a"), breakers.admits("a")]).toEqual([true, false]);
});

test("if that is answered all is as before", () => {
  const { breakers } = anOpenOne();
  breakers.admits("a");
  breakers.succeeded("a");
  breakers.failed("a");
  expect([breakers.admits("a"), breakers.admits("a")]).toEqual([true, true]);
});

test("if it fails, the next minute begins", () => {
  const { breakers, pass } = anOpenOne();
  breakers.admits("a");
  breakers.failed("a");
  pass(59_999);
  expect(breakers.admits("a")).toBe(false);
  pass(1);
  expect(breakers.admits("a")).toBe(true);
});

test("if nobody ever says how it ended, the next one is let through a minute later", () => {
  const { breakers, pass } = anOpenOne();
  breakers.admits("a");
  pass(60_000);
  expect([breakers.admits("a"), breakers.admits("a")]).toEqual([true, false]);
});

test("if it is stopped, the next question may try", () => {
  const { breakers } = anOpenOne();
  breakers.admits("a");
  breakers.withdrew("a");
  expect([breakers.admits("a"), breakers.admits("a")]).toEqual([true, false]);
});
