import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { classifyLink, MAX_LINK_LENGTH, openPath } from "./links.ts";

interface Row {
  readonly id: string;
  readonly link?: string;
  /** So many letters more behind it. */
  readonly padded?: number;
  readonly refused?: string;
  readonly opened?: string;
  readonly host?: string;
  readonly path?: string;
  readonly as?: string;
}

const rows = JSON.parse(readFileSync("tests/hostile/links.json", "utf8")) as Row[];
const ownPort = 47_600;

describe("a link from a model or a document", () => {
  test.each(rows.filter(({ link }) => link !== undefined))("$id $link", ({ link = "", padded = 0, ...row }) => {
    const expected =
      row.refused === undefined
        ? { kind: "open", url: row.opened, host: row.host }
        : { kind: "refuse", why: row.refused };
    expect(classifyLink(link + "x".repeat(padded), ownPort)).toEqual(expected);
  });

  test("is opened up to the length that every system takes", () => {
    const longest = "https://a.test/".padEnd(MAX_LINK_LENGTH, "x");
    expect(classifyLink(longest)).toMatchObject({ kind: "open" });
  });

  test("to a port of another computer is opened when Lares does not listen", () => {
    expect(classifyLink("http://printer.test:47600/")).toMatchObject({ kind: "open", host: "printer.test:47600" });
  });
});

describe("a file", () => {
  test.each(rows.filter(({ path }) => path !== undefined))("$id $path: $as", ({ path = "", as }) => {
    expect(openPath(path)).toBe(as);
  });
});

test("the hostile links are all there: each number of the threat model, D1 to D24", () => {
  const numbers = new Set(rows.map(({ id }) => Number(/^D(\d+)/.exec(id)?.[1])));
  expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 24 }, (_, index) => index + 1));
});
