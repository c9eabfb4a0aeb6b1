import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { engineEntry } from "./entry.ts";

test("running from source, the entry of the child is a file of the source", () => {
  expect(engineEntry()).toMatch(/engine[\\/]child[\\/]main\.ts$/);
  expect(existsSync(engineEntry())).toBe(true);
});
