import { expect, test } from "vitest";
import { createKeys } from "./loopback-keys.ts";

function startKeys(idleMs = 1_000_000) {
  const clock = { ms: 0 };
  const keys = createKeys({ now: () => clock.ms, idleMs });
  const session = (): string => {
    const verdict = keys.trade(keys.token());
    return typeof verdict === "string" ? verdict : verdict.session;
  };
  return { clock, keys, session };
}

const isIn = (verdict: unknown): boolean => typeof verdict === "object";

test("a token is good for one trade, and for nothing else", () => {
  const { keys } = startKeys();
  const token = keys.token();
  expect(keys.enter(token)).toBe("wrong");
  expect(isIn(keys.trade(token))).toBe(true);
  expect(keys.trade(token)).toBe("wrong");
});

test("a session lets in as often as it is asked, and is no token", () => {
  const { keys, session } = startKeys();
  const one = session();
  expect([isIn(keys.enter(one)), isIn(keys.enter(one)), keys.trade(one)]).toEqual([true, true, "wrong"]);
});

test("five wrong secrets in a row pause everything for 30 s; a right one in between starts the count again", () => {
  const { clock, keys, session } = startKeys();
  const one = session();
  const guess = (times: number) => Array.from({ length: times }, () => keys.enter("guess")).at(-1);
  guess(4);
  expect(isIn(keys.enter(one))).toBe(true);
  expect(guess(5)).toBe("wrong");
  expect([keys.enter(one), keys.trade(keys.token())]).toEqual(["paused", "paused"]);
  clock.ms += 29_999;
  expect(keys.enter(one)).toBe("paused");
  clock.ms += 1;
  expect(isIn(keys.enter(one))).toBe(true);
});

test("a session is over when it was idle too long, and each sign of life puts that off", () => {
  const { clock, keys, session } = startKeys(1000);
  const one = session();
  const visit = keys.enter(one);
  if (typeof visit === "string") throw new Error(visit);
  for (let times = 0; times < 3; times += 1) {
    clock.ms += 999;
    expect(visit.holds()).toBe(true);
    visit.touch();
  }
  clock.ms += 1000;
  expect([visit.holds(), keys.enter(one)]).toEqual([false, "wrong"]);
});

test("a token that nobody used is over as well", () => {
  const { clock, keys } = startKeys(1000);
  const token = keys.token();
  clock.ms += 1000;
  expect(keys.trade(token)).toBe("wrong");
});

test("a burnt session ends the visits that it let in", () => {
  const { keys, session } = startKeys();
  const one = session();
  const visit = keys.enter(one);
  keys.burn(one);
  expect(typeof visit !== "string" && visit.holds()).toBe(false);
});

test("of too many addresses the oldest is worth nothing", () => {
  const { keys } = startKeys();
  const tokens = Array.from({ length: 9 }, () => keys.token());
  expect(keys.trade(tokens[0] ?? "")).toBe("wrong");
  expect(isIn(keys.trade(tokens[8] ?? ""))).toBe(true);
});
