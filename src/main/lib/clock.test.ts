import fc from "fast-check";
import { expect, test } from "vitest";
import { createIdSource, monotonicMs, newId } from "./clock.ts";

test("an id has fourteen characters of 0-9 and a-z and begins with the time", () => {
  const now = Date.UTC(2026, 10, 30);
  const source = createIdSource(
    () => now,
    () => 35,
  );

  const id = source();

  expect(id).toMatch(/^[0-9a-z]{14}$/);
  expect(Number.parseInt(id.slice(0, 9), 36)).toBe(now);
  expect(id.slice(9)).toBe("0000z");
});

test("ids sort in the order they were made, whatever the clock does", () => {
  const times = fc.array(fc.integer({ min: 0, max: 4_000_000_000_000 }), { minLength: 2, maxLength: 50 });
  const tail = fc.integer({ min: 36 ** 5 - 3, max: 36 ** 5 - 1 }); // near its end, where it runs over
  fc.assert(
    fc.property(times, tail, (clock, start) => {
      const readings = clock.values();
      const source = createIdSource(
        () => readings.next().value ?? 0,
        () => start,
      );
      const ids = clock.map(() => source());
      expect(ids.every((id) => id.length === 14)).toBe(true);
      expect([...new Set(ids)].sort()).toEqual(ids);
    }),
  );
});

test("ten thousand ids made at once are all different and in order", () => {
  const ids = Array.from({ length: 10_000 }, newId);

  expect([...new Set(ids)].sort()).toEqual(ids);
});

test("the monotonic clock does not go back", () => {
  const readings = Array.from({ length: 1_000 }, monotonicMs);

  expect(readings.toSorted((a, b) => a - b)).toEqual(readings);
});
