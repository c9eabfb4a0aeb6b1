import { expect, test } from "vitest";
import { candidatesUpTo } from "./threads.ts";

test.each([
  [1, [1]],
  [2, [1, 2]],
  [3, [1, 2, 3]],
  [6, [1, 2, 4, 5, 6]],
  [8, [1, 2, 4, 7, 8]],
])("of %i cores, few numbers of threads are tried", (cores, candidates) => {
  expect(candidatesUpTo(cores)).toEqual(candidates);
});
