import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { patiently, replaceFile, replaceFileSync } from "./atomic-write.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lares-replace-"));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

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

test("one who cannot wait gets the same: all of the new text, or the old one and nothing beside it", () => {
  const file = join(folder, "window.json");
  replaceFileSync(file, "one");
  replaceFileSync(file, "two");
  expect([readFileSync(file, "utf8"), readdirSync(folder)]).toEqual(["two", ["window.json"]]);
  mkdirSync(join(folder, "taken"));
  expect(() => replaceFileSync(join(folder, "taken"), "one")).toThrow();
  expect(readdirSync(folder).sort()).toEqual(["taken", "window.json"]);
});

/** Fails so often as a virus scanner would make it, then works. */
function held(times: number, code: string) {
  let calls = 0;
  const work = () => {
    calls++;
    if (calls <= times) throw Object.assign(new Error(code), { code });
    return calls;
  };
  return { work, calls: () => calls };
}

test.each(["EBUSY", "EPERM"])(
  "a file that another program holds (%s) is tried again until it is let go",
  async (code) => {
    const { work } = held(3, code);
    expect(await patiently(work)).toBe(4);
  },
);

test("one that is never let go is given up after five seconds, with what the system said", async () => {
  vi.useFakeTimers();
  const { work, calls } = held(Number.POSITIVE_INFINITY, "EBUSY");
  const pauses: number[] = [];
  const pass = async (ms: number) => {
    pauses.push(ms);
    vi.advanceTimersByTime(ms);
  };
  await expect(patiently(work, pass)).rejects.toThrow("EBUSY");
  expect(calls()).toBe(pauses.length + 1);
  const slept = pauses.reduce((sum, ms) => sum + ms, 0);
  expect([slept > 4_000, slept <= 5_000]).toEqual([true, true]);
});

test("what no patience helps is not tried again", async () => {
  const { work, calls } = held(9, "ENOSPC");
  await expect(patiently(work)).rejects.toThrow("ENOSPC");
  expect(calls()).toBe(1);
});
