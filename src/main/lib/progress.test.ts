import { expect, test } from "vitest";
import { sparing } from "./progress.ts";

test("a thousand steps in a second are a handful of words, the first and the last among them", () => {
  const told: number[] = [];
  let now = 0;
  const tell = sparing(
    (done) => told.push(done),
    () => now,
  );
  for (let done = 1; done <= 1000; done++) {
    now = done;
    tell(done, 1000);
  }
  expect(told).toEqual([1, 201, 401, 601, 801, 1000]);
});
