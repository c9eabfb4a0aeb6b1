import { beforeAll, expect, test } from "vitest";
import { builtApp } from "./support/built-app.ts";
import { readPageScripts, type Scripts, sizeOf } from "./support/page-scripts.ts";

let scripts: { all: Scripts; first: Scripts };
beforeAll(async () => {
  scripts = readPageScripts(await builtApp());
}, 60_000);

test("the scripts of the page are at most 900 kB, packed with gzip", () => {
  expect(sizeOf(scripts.all)).toBeLessThanOrEqual(900_000);
});

test("what is there before the first screen can be shown is at most 300 kB of it", () => {
  expect(sizeOf(scripts.first)).toBeLessThanOrEqual(300_000);
});

test("what few answers need is not part of the first screen", () => {
  const inFirst = [...scripts.first.keys()].join(" ");
  const later = [...scripts.all.keys()].filter((path) => !scripts.first.has(path)).join(" ");
  for (const part of ["katex", "highlight"]) {
    expect(inFirst).not.toContain(part);
    expect(later).toContain(part);
  }
});
