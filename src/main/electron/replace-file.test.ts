import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { replaceFile } from "./replace-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lares-replace-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a file is there, or replaced, with all of its text and nothing beside it", async () => {
  const file = join(folder, "chat.md");
  await replaceFile(file, "one");
  await replaceFile(file, "zwei 二");
  expect(readFileSync(file, "utf8")).toBe("zwei 二");
  expect(readdirSync(folder)).toEqual(["chat.md"]);
  if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("what cannot be replaced keeps what it was, and leaves nothing half written behind", async () => {
  const file = join(folder, "chat.md");
  mkdirSync(file);
  writeFileSync(join(file, "inside"), "kept");
  await expect(replaceFile(file, "one")).rejects.toThrow();
  expect(readdirSync(folder)).toEqual(["chat.md"]);
  expect(readFileSync(join(file, "inside"), "utf8")).toBe("kept");
});

test("a name as long as the system takes is no hindrance", async () => {
  const name = `${"a".repeat(250)}.md`;
  await replaceFile(join(folder, name), "one");
  expect(readdirSync(folder)).toEqual([name]);
});
