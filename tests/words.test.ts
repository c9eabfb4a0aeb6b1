import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { errorCodes } from "../src/shared/errors.ts";
import { contract } from "../src/shared/ipc.ts";
import { words } from "../src/shared/words/index.ts";
import type { Word } from "../src/shared/words/word.ts";

const catalogue = Object.entries(words).flatMap(([area, table]) =>
  Object.entries(table as Record<string, Word>).map(([key, word]) => ({ key: `${area}.${key}`, word })),
);
const read = (pattern: string): string[] =>
  globSync(pattern)
    .filter((file) => !file.includes(".test."))
    .map((file) => readFileSync(file, "utf8"));
const sources = read("src/{renderer,main/electron}/**/*.{ts,tsx}");
/** Where lists of keys may stand. */
const lists = [...sources, ...read("src/shared/*.ts")].join("\n");

const base = (key: string): string => key.replace(/_(zero|one|other)$/, "");
const known = new Set(catalogue.map(({ key }) => base(key)));
const areas = Object.keys(words).join("|");

/** Names of calls look like keys: `call("models.list", …)` is none. */
const isCall = (key: string): boolean => Object.hasOwn(contract, key) && !known.has(key);

/** Every `area.key` that stands in quotes, and every `area.${…}` that takes a key from a list. */
const named = new Set(
  sources.flatMap((text) => text.match(new RegExp(`(?<=["'\`])(${areas})\\.\\w+(?=["'\`])`, "g")) ?? []),
);
const prefixes = sources.flatMap((text) => text.match(new RegExp(`(?<=\`)(${areas})\\.[\\w-]*(?=\\$\\{)`, "g")) ?? []);

/** Whether `area.${…}` or `area.${…}Help` can come to this key: what stands in the gap is in a list, quoted or as a property. */
function isTaken(key: string): boolean {
  const gaps = prefixes.filter((start) => key.startsWith(start)).map((start) => key.slice(start.length));
  return gaps
    .map((gap) => gap.replace(/Help$/, ""))
    .some((gap) => new RegExp(`["'\`]${gap}["'\`]|\\b${gap}\\??:`).test(lists));
}

test("every word that is asked for is in the catalogue", () => {
  expect([...named].filter((key) => !known.has(base(key)) && !isCall(key))).toEqual([]);
  expect(named.size).toBeGreaterThan(100);
});

test("every word of the catalogue is said somewhere", () => {
  const isSaid = (key: string) => named.has(key) || isTaken(key);
  expect([...known].filter((key) => !isSaid(key))).toEqual([]);
});

test("each word is there in both languages, with the same blanks to fill in", () => {
  const blanks = (text: string) => [...new Set(text.match(/\{\{\w+\}\}/g) ?? [])].sort();
  const uneven = catalogue.filter(({ key, word }) => {
    const plural = key.endsWith("_one"); // "1 chat" may do without its number
    return word.en === "" || word["zh-CN"] === "" || (!plural && `${blanks(word.en)}` !== `${blanks(word["zh-CN"])}`);
  });
  expect(uneven.map(({ key }) => key)).toEqual([]);
});

test("a plural has all its forms", () => {
  const keys = new Set(catalogue.map(({ key }) => key));
  const plurals = [...keys].filter((key) => /_(one|other)$/.test(key)).map(base);
  expect(plurals.filter((key) => !keys.has(`${key}_one`) || !keys.has(`${key}_other`))).toEqual([]);
});

test("the page has words for every error code", () => {
  expect(Object.keys(words.problems).sort()).toEqual([...errorCodes].sort());
  expect(prefixes).toContain("problems.");
});
