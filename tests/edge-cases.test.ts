import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** How many lines each part of the checklist has. */
const lines = { L: 15, R: 15, C: 12, S: 8, K: 11 };

interface Line {
  readonly id: string;
  /** The third column: `path`: “name”, “name”. */
  readonly cell: string;
}

const table = readTable(readFileSync("docs/testing.md", "utf8"));

function readTable(text: string): Line[] {
  const rows = text.matchAll(/^\| ([A-Z]\d+) \| (?:.*?) \| (.*) \|$/gm);
  return [...rows].map(([, id = "", cell = ""]) => ({ id, cell }));
}

/** The tests that a line names, with their files. */
function namedIn(cell: string): { path: string; name: string }[] {
  return [...cell.matchAll(/`([^`]+)`: ((?:“[^”]+”(?:, )?)+)/g)].flatMap(([, path = "", names = ""]) =>
    [...names.matchAll(/“([^”]+)”/g)].map(([, name = ""]) => ({ path, name })),
  );
}

/** Whether a text has a test of that name, and one that is not switched off. */
function hasTest(text: string, name: string): boolean {
  const literal = name.replaceAll("\\", "\\\\").replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?:\\btest|\\))\\(\\s*(["'\`])${literal}\\1,`).test(text);
}

test("every line of the checklist has its place in the table, once", () => {
  const expected = Object.entries(lines).flatMap(([part, count]) =>
    Array.from({ length: count }, (_, index) => `${part}${index + 1}`),
  );
  expect(table.map(({ id }) => id)).toEqual(expected);
});

test("every line has a test, or says what it waits for", () => {
  const bare = table.filter(({ cell }) => namedIn(cell).length === 0 && !/\blater: \w/.test(cell));
  expect(bare).toEqual([]);
  expect(table.filter(({ cell }) => cell.includes("TODO"))).toEqual([]);
});

test("every test that the table names is in its file", () => {
  const named = table.flatMap(({ id, cell }) => namedIn(cell).map((one) => ({ id, ...one })));
  const gone = named.filter(({ path, name }) => !existsSync(path) || !hasTest(readFileSync(path, "utf8"), name));
  expect(gone).toEqual([]);
  expect(named.length).toBeGreaterThan(100);
});

test("a test that is gone, switched off or only spoken of is noticed", () => {
  const text =
    'test("one", () => {}); test.skip("two", () => {}); test.each([1])("three %s", () => {}); // test "four"';
  expect(["one", "two", "three %s", "four"].map((name) => hasTest(text, name))).toEqual([true, false, true, false]);
  expect(namedIn("`a.test.ts`: “one”, “two, three”<br>`b.test.ts`: “four”").map(({ name }) => name)).toEqual([
    "one",
    "two, three",
    "four",
  ]);
});
