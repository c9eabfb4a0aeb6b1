import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { conformanceCases } from "../../../tests/support/vendors/cases.ts";
import { conformanceTable } from "../../../tests/support/vendors/table.ts";
import type { Outcome } from "../../../tests/support/vendors/talk.ts";
import { standIns } from "../../../tests/support/vendors/vendors.ts";

const outcomes = new Map<string, Outcome>();

describe.each(standIns)("$name", (vendor) => {
  for (const { name, behaves, applies = () => true, run } of conformanceCases) {
    const cell = `${vendor.name}/${name}`;
    if (!applies(vendor)) {
      outcomes.set(cell, "none");
      continue;
    }
    test(behaves, async () => {
      outcomes.set(cell, "failed");
      await run(vendor);
      outcomes.set(cell, "passed");
    });
  }
});

const file = "docs/providers.md";

test("docs/providers.md tells what these tests found: WRITE_DOCS=1 writes it", () => {
  const table = conformanceTable(outcomes);
  process.stdout.write(`\n${table}\n`);
  const begin = "<!-- printed by conformance.test.ts -->\n";
  const end = "<!-- end -->\n";
  const before = existsSync(file) ? readFileSync(file, "utf8") : `${begin}${end}`;
  const [top, rest = end] = before.split(begin);
  const after = `${top}${begin}\n${table}\n${end}${rest.split(end)[1]}`;
  if (process.env.WRITE_DOCS === "1") writeFileSync(file, after);
  expect(readFileSync(file, "utf8")).toBe(after);
});
