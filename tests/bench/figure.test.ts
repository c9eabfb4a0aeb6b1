import { expect, test } from "vitest";
import { figure, formatTable, longest, median, quantile } from "./figure.ts";

test("a figure reaches its goal up to the limit itself", () => {
  expect(figure("time", 30, "ms", { atMost: 30 })).toMatchObject({ goal: "≤ 30", ok: true });
  expect(figure("time", 30.1, "ms", { atMost: 30 }).ok).toBe(false);
  expect(figure("speed", 0.97, "ratio", { atLeast: 0.97 })).toMatchObject({ goal: "≥ 0.97", ok: true });
  expect(figure("speed", 0.969, "ratio", { atLeast: 0.97 }).ok).toBe(false);
});

test("what was not measured, or is not a number, is never good", () => {
  expect(figure("speed", null, "ratio", { atLeast: 0.9 })).toMatchObject({ goal: "≥ 0.9", ok: null });
  expect(figure("speed", Number.NaN, "ratio", { atLeast: 0.9 }).ok).toBe(false);
  expect(figure("frame", longest([]), "ms", { atMost: 50 }).ok).toBe(false);
  expect(figure("memory", 120, "MB")).toMatchObject({ goal: null, ok: null });
});

test("a quantile lies between the values around it, and nothing has none", () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(quantile([1, 2, 3, 4, 5], 0.75)).toBe(4);
  expect(quantile([7], 0.75)).toBe(7);
  expect(() => median([])).toThrow("Nothing was measured");
});

test("the table has a line for each figure, and says what is missed and what is not given", () => {
  const table = formatTable([
    figure("decode", 0.9512, "ratio", { atLeast: 0.97 }),
    figure("beside llama-bench", null, "ratio", { atLeast: 0.9 }),
    figure("memory", 123.4, "MB"),
  ]);
  expect(table.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["name", "value", "unit", "goal", "ok"],
    ["decode", "0.951", "ratio", "≥ 0.97", "NO"],
    ["beside llama-bench", "not given", "ratio", "≥ 0.9"],
    ["memory", "123", "MB"],
  ]);
});
