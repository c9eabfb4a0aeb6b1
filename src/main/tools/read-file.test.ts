import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readFileTool } from "./read-file.ts";
import type { ToolResult } from "./tool.ts";

let workspace: string;
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "lares-read-"));
});
afterEach(() => rmSync(workspace, { recursive: true }));

const read = (path: string, more: object = {}, signal = new AbortController().signal): Promise<ToolResult> =>
  readFileTool.run({ path, ...more }, { workspace, signal, now: new Date(0), timeZone: "UTC" });
const put = (name: string, content: string | Uint8Array) => writeFileSync(join(workspace, name), content);
const readBack = async (content: string | Uint8Array, more: object = {}) => {
  put("file", content);
  return (await read("file", more)).text;
};
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");

describe("a text file", () => {
  test.each([
    ["as it is", "one\ntwo\n", "one\ntwo"],
    ["without a last line end", "one\ntwo", "one\ntwo"],
    ["with the line ends of Windows", "one\r\ntwo\r\n", "one\ntwo"],
    ["with empty lines", "\n\none\n\n", "\n\none\n"],
    ["with a mark in front (UTF-8)", "\ufeffone", "one"],
    ["with everything Unicode has", "naïve 报告 👩‍👩‍👧 e\u0301 שלום", "naïve 报告 👩‍👩‍👧 e\u0301 שלום"],
    ["that is empty", "", "[file is empty]"],
  ])("is read %s", async (_name, content, text) => {
    expect(await readBack(content)).toBe(text);
  });

  const utf16 = (text: string) => Buffer.from(text, "utf16le");
  const chinese = Buffer.from("c7ebb1a3b4e6d5e2b7ddb1a8b8e60abacdcde22e", "hex"); // 请保存这份报告 \n 和外.
  test.each<[string, Uint8Array, string]>([
    ["UTF-16 with a mark", utf16("\ufeffTest\nÄ 报告"), "Test\nÄ 报告\n[read as UTF-16LE]"],
    ["UTF-16, high byte first", utf16("\ufeffTest\nÄ 报告").swap16(), "Test\nÄ 报告\n[read as UTF-16BE]"],
    ["UTF-16 without a mark", utf16("Hello out there"), "Hello out there\n[read as UTF-16LE]"],
    ["GB18030", chinese, "请保存这份报告\n和外.\n[read as GB18030]"],
    [
      "Latin-1, with a note",
      Buffer.from("un caf\xe9 d\xe9j\xe0 bu, s'il vous pla\xeet", "latin1"),
      "un caf\ufffd d\ufffdj\ufffd bu, s'il vous pla\ufffdt\n[some bytes are not valid text and are shown as \ufffd]",
    ],
  ])("is understood in %s", async (_name, bytes, text) => {
    expect(await readBack(bytes)).toBe(text);
  });

  test("does not lose a character that lies across two reads", async () => {
    const text = `${"a".repeat(65_535 - 400)}\n${"b".repeat(399)}报告\nend`;
    expect(await readBack(text, { fromLine: 2 })).toBe(`${"b".repeat(399)}报告\nend`);
  });
});

describe("a part of a file", () => {
  test.each([
    [{}, "line 1", "line 400", "[lines 1-400 of a file of 8.9 kB; go on with fromLine: 401]"],
    [{ fromLine: 401 }, "line 401", "line 800", "[lines 401-800 of a file of 8.9 kB; go on with fromLine: 801]"],
    [{ fromLine: 801 }, "line 801", "line 999", "line 1000"],
    [{ fromLine: 5, lines: 2 }, "line 5", "line 6", "[lines 5-6 of a file of 8.9 kB; go on with fromLine: 7]"],
    [{ lines: 2000 }, "line 1", "line 999", "line 1000"],
    [{ fromLine: 1000, lines: 1 }, "line 1000", undefined, "line 1000"],
  ])("is given for %j, and how to go on", async (range, first, beforeLast, last) => {
    const lines = (await readBack(numbered(1000), range)).split("\n");
    expect([lines[0], lines.at(-2), lines.at(-1)]).toEqual([first, beforeLast, last]);
  });

  test("ends where the room ends, and what follows is reached", async () => {
    put("file", `${"x".repeat(9000)}\n${"y".repeat(9000)}\nz`);
    const first = (await read("file")).text;
    expect(first).toBe(`${"x".repeat(9000)}\n[lines 1-1 of a file of 18 kB; go on with fromLine: 2]`);
    expect((await read("file", { fromLine: 2 })).text).toBe(`${"y".repeat(9000)}\nz`);
  });

  test("of a line without end is cut, and it says so", async () => {
    const text = await readBack(`a\n${"x".repeat(1_000_000)}\nb`, { fromLine: 2 });
    expect(text.split("\n").slice(1)).toEqual([
      "[line 2 is longer and was cut after 15500 characters]",
      "[lines 2-2 of a file of 1.0 MB; go on with fromLine: 3]",
    ]);
    expect((await read("file", { fromLine: 3 })).text).toBe("b");
  });

  test("is never longer than the tool may answer", async () => {
    expect((await readBack(numbered(100_000), { lines: 2000 })).length).toBeLessThanOrEqual(readFileTool.resultCap);
    const almostFull = "x".repeat(15_499) + "\n".repeat(3000);
    expect((await readBack(almostFull, { lines: 2000 })).length).toBeLessThanOrEqual(readFileTool.resultCap);
  });

  test("is not cut through the middle of a character", async () => {
    const [line = ""] = (await readBack(`a${"😀".repeat(10_000)}`)).split("\n");
    expect([line.length, line.isWellFormed()]).toEqual([15_500, true]);
  });

  test.each([
    ["x", 2, '"file" has 1 line and no line 2.'],
    ["x\n", 2, '"file" has 1 line and no line 2.'],
    ["", 7, '"file" has 0 lines and no line 7.'],
  ])("of %j from line %i is not there, and it says how many there are", async (content, fromLine, message) => {
    put("file", content);
    await expect(read("file", { fromLine })).rejects.toMatchObject({ code: "tool-failed", message });
  });
});

describe("a file of 2 GB", () => {
  const big = (start: string) => {
    put("big", start);
    truncateSync(join(workspace, "big"), 2e9);
  };

  test("gives its beginning and says its size, without being loaded", async () => {
    big(numbered(20_000));
    const before = process.memoryUsage().rss;
    const { text } = await read("big");
    expect(text.split("\n").at(-1)).toBe("[lines 1-400 of a file of 2.0 GB; go on with fromLine: 401]");
    expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000);
  });

  test("is not searched to its end for a line", async () => {
    big(numbered(20_000));
    const message = '"big" has 2.0 GB, and line 9000000 is not in its first 50 MB.';
    await expect(read("big", { fromLine: 9_000_000 })).rejects.toMatchObject({ code: "tool-failed", message });
  });

  test("is left when the turn is stopped", async () => {
    big(numbered(20_000));
    const stopped = AbortSignal.abort();
    await expect(read("big", { fromLine: 9_000_000 }, stopped)).rejects.toMatchObject({ name: "AbortError" });
  });
});

describe("a file that is not a text", () => {
  test.each<[string, Uint8Array, RegExp]>([
    ["a PDF", Buffer.from("%PDF-1.7\n\0\x01"), /it is a PDF document of 11 bytes\. Ask for a text version/],
    ["a picture", Buffer.from("\x89PNG\r\n\x1a\n\0\0", "latin1"), /a PNG picture/],
    ["a model", Buffer.from("GGUF\x03\0\0\0", "latin1"), /a language model/],
    ["zeros", new Uint8Array(1000), /a binary file of 1\.0 kB/],
    ["control characters", Buffer.from("\x01\x02\x03\x04abc"), /a binary file/],
    ["noise", Buffer.from(Array.from({ length: 3000 }, (_, index) => 128 + ((index * 7919) % 127))), /a binary file/],
  ])("is refused with what it is: %s", async (_name, bytes, words) => {
    put("thing", bytes);
    await expect(read("thing")).rejects.toMatchObject({ code: "tool-failed", message: expect.stringMatching(words) });
  });
});

describe("a file that is not there", () => {
  test.each([
    ["plan.md", 'There is no "plan.md" in the workspace. Did you mean "docs/plan.md"?'],
    ["docs/plam.md", 'There is no "docs/plam.md" in the workspace. Did you mean "docs/plan.md"?'],
    ["DOCS\\PLAN.MD", 'There is no "DOCS/PLAN.MD" in the workspace. Did you mean "docs/plan.md"?'],
    ["else.txt", 'There is no "else.txt" in the workspace. list_files shows what there is.'],
  ])("gets the name that was meant: %s", async (path, message) => {
    mkdirSync(join(workspace, "docs"));
    put("docs/plan.md", "x");
    await expect(read(path)).rejects.toMatchObject({ code: "not-found", message });
  });
});
