import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommand } from "./support/run-command.ts";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
const parts = scripts.check?.split(" && ") ?? [];

describe("npm run check", () => {
  test.each(parts)("%s finds nothing in this repository", async (part) => {
    const { code, stdout, stderr } = await runCommand(part);
    expect(code, stdout + stderr).toBe(0);
  });

  test("looks at types, style and rooms", () => {
    expect(parts.map((part) => part.split(" ").slice(0, 2).join(" "))).toEqual([
      "tsc -b",
      "biome check",
      "node tests/check/run.ts",
    ]);
  });
});

const refusedStyle = {
  "any.ts": "lint/suspicious/noExplicitAny",
  "console.ts": "lint/suspicious/noConsole",
  "cycle-a.ts": "lint/suspicious/noImportCycles",
  "cycle-b.ts": "lint/suspicious/noImportCycles",
  "default-export.ts": "lint/style/noDefaultExport",
  "electron-import.ts": "lint/style/noRestrictedImports",
  "empty-catch.ts": "lint/suspicious/noEmptyBlockStatements",
  "format.ts": "format",
  "long-file.ts": "lint/style/noExcessiveLinesPerFile",
  "long-function.ts": "lint/complexity/noExcessiveLinesPerFunction",
  "non-null.ts": "lint/style/noNonNullAssertion",
  "snake_case.ts": "lint/style/useFilenamingConvention",
  "tangled.ts": "lint/complexity/noExcessiveCognitiveComplexity",
  "value-import-of-type.ts": "lint/style/useImportType",
};

test("each planted file of bad style is refused by its own rule", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lares-style-")); // biome.json leaves tests/planted out, so the tree moves
  cpSync("tests/planted/style", folder, { recursive: true });
  for (const file of ["biome.json", ".gitignore"]) cpSync(file, join(folder, file));

  const { code, stdout } = await runCommand("biome check --reporter=json --max-diagnostics=none", { cwd: folder });
  rmSync(folder, { recursive: true });

  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { category: string; location: { path: string } }[] };
  const found = diagnostics.map(({ category, location }) => [location.path.replace("src/main/lib/", ""), category]);
  expect(Object.fromEntries(found)).toEqual(refusedStyle);
  expect(found).toHaveLength(Object.keys(refusedStyle).length);
  expect(code).toBe(1);
});

const refusedTypes = {
  "enum.ts": "TS1294",
  "explicit-undefined.ts": "TS2375",
  "implicit-any.ts": "TS7006",
  "no-extension.ts": "TS2835",
  "node-in-shared.ts": "TS2591",
  "page-in-shared.ts": "TS2584",
  "parameter-property.ts": "TS1294",
  "unchecked-index.ts": "TS2322",
  "unused.ts": "TS6133",
};

test("each planted file of bad types is refused by its own error", async () => {
  const { code, stdout } = await runCommand("tsc -p tests/planted/types");

  const found = [...stdout.matchAll(/^tests\/planted\/types\/([^(]+)\(.*error (TS\d+)/gm)].map(([, file, error]) => [
    file,
    error,
  ]);
  expect(Object.fromEntries(found)).toEqual(refusedTypes);
  expect(found).toHaveLength(Object.keys(refusedTypes).length);
  expect(code).toBe(1);
});

describe("the line that ends a test run", () => {
  test.each([
    { what: "a run where all passes", files: "passes", ends: ["1 passed, 0 failed"], code: 0 },
    { what: "failed, skipped and unwritten tests", files: "mixed", ends: ["2 skipped", "3 passed, 1 failed"], code: 1 },
    { what: "a file that does not load", files: "does-not-load passes", ends: ["1 passed, 1 failed"], code: 1 },
    { what: "an error that nobody caught", files: "stray", ends: ["1 passed, 1 failed"], code: 1 },
    { what: "a run that finds no test", files: "nowhere", ends: ["0 passed, 1 failed"], code: 1 },
  ])("counts $what", async ({ files, ends, code }) => {
    const run = await runCommand(`vitest run --root tests/planted/suite ${files}`);

    expect(run.stdout.trimEnd().split("\n").slice(-ends.length)).toEqual(ends);
    expect(run.code).toBe(code);
  });
});
