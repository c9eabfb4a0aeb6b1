import { expect, test } from "vitest";
import { createRepeatGuard } from "./repeat-guard.ts";

test("the third identical call is answered with a hint", () => {
  const guard = createRepeatGuard();
  const ask = () => guard.hint("read_file", { path: "a" });
  expect([ask(), ask()]).toEqual([undefined, undefined]);
  expect(ask()).toMatch(/call number 3 of read_file/);
});

test("the same arguments in another order are the same call, other arguments are not", () => {
  const guard = createRepeatGuard();
  guard.hint("t", { a: 1, b: { c: 2, d: 3 } });
  guard.hint("t", { b: { d: 3, c: 2 }, a: 1 });
  expect(guard.hint("t", { a: 1, b: { c: 2, d: 4 } })).toBeUndefined();
  expect(guard.hint("t", { b: { c: 2, d: 3 }, a: 1 })).toBeDefined();
});

test("the third refused path says to stop", () => {
  const guard = createRepeatGuard();
  expect([guard.afterRefusedPath(), guard.afterRefusedPath()]).toEqual(["", ""]);
  expect(guard.afterRefusedPath()).toMatch(/Stop trying/);
});
