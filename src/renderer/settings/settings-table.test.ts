import { expect, test } from "vitest";
import { findSettings, settingsTable } from "./settings-table.ts";

const found = (query: string) => findSettings(query).map(({ id }) => id);

test("a setting is found by its name or its help, in either language", () => {
  expect(found("theme")).toEqual(["theme"]);
  expect(found("主题")).toEqual(["theme"]);
  expect(found("LIKELIEST words")).toEqual(["temperature"]);
  expect(found(".gguf 文件")).toEqual(["models"]);
});

test("a section brings all of its settings, nothing brings all, and nonsense none", () => {
  expect(found("look")).toContain("language");
  expect(found("")).toHaveLength(settingsTable.length);
  expect(found("zebra")).toEqual([]);
});
