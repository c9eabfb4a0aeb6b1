import { expect, test } from "vitest";
import { createReloads } from "./reloads.ts";

test("a page that keeps stopping is loaded again three times in a minute, and again when a minute has passed", () => {
  let now = 0;
  const reloads = createReloads(() => now);
  expect([reloads.take(), reloads.take(), reloads.take(), reloads.take()]).toEqual([true, true, true, false]);
  now = 59_999;
  expect(reloads.take()).toBe(false);
  now = 60_000;
  expect(reloads.take()).toBe(true);
});

test("a person's word begins the count anew", () => {
  const reloads = createReloads(() => 0);
  while (reloads.take());
  reloads.forget();
  expect(reloads.take()).toBe(true);
});
