import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextRound } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../tests/support/stored-turn.ts";
import { readFileTool } from "./read-file.ts";
import { createResultFiles } from "./result-files.ts";

/** A folder for results, and reading one of a chat as a model does. */
function aShelf() {
  const folder = join(temporaryFolder(), "results");
  const files = createResultFiles(folder);
  const read = async (sessionId: string, path: string, more: object = {}) => {
    const context = { workspace: folder, signal: new AbortController().signal, now: new Date(0), timeZone: "UTC" };
    const openResult = files.of(sessionId).open;
    return (await readFileTool.run({ path, ...more }, { ...context, openResult })).text;
  };
  const stored = () => readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.txt$/.test(name));
  return { folder, files, read, stored };
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");

describe("a long result", () => {
  test("is kept whole, for its owner alone, under a name that its text gives it", async () => {
    const { folder, files, stored } = aShelf();
    const text = `${"报告 👩‍👩‍👧 ".repeat(20_000)}end`;
    const name = await files.of("s").keep(text);
    expect(name).toMatch(/^result:[0-9a-f]{16}$/);
    expect(await files.of("s").keep(text)).toBe(name);
    const [path = "", ...more] = stored();
    expect(more).toEqual([]);
    expect(readFileSync(join(folder, path), "utf8")).toBe(text);
    expect(statSync(join(folder, path)).mode & 0o777).toBe(process.platform === "win32" ? 0o666 : 0o600);
  });

  test("is read by its name like a file, some lines at a time", async () => {
    const { files, read } = aShelf();
    const name = await files.of("s").keep(numbered(5_000));
    expect(await read("s", name, { fromLine: 4_999 })).toBe("line 4999\nline 5000");
    expect(await read("s", name, { lines: 1 })).toMatch(/^line 1\n\[lines 1-1 of a file of .*fromLine: 2\]$/);
  });

  test("that looks like no text is read all the same: a tool has said it", async () => {
    const { files, read } = aShelf();
    expect(await read("s", await files.of("s").keep("\0\u0001\u0002"))).toBe("\0\u0001\u0002");
  });

  test("is known in its own chat only, also where two names differ in capitals alone", async () => {
    const { files, read } = aShelf();
    const name = await files.of("chat").keep("secret");
    for (const other of ["Chat", "../chat", "chat/", ""]) {
      await expect(read(other, name)).rejects.toMatchObject({ code: "not-found" });
    }
  });

  test.each(["result:", "result:../../lares.db", "result:0123456789abcdef", "result:0123456789ABCDEF", "result:x\0"])(
    "%j is none, and the model is told what to do",
    async (name) => {
      const { files, read } = aShelf();
      await files.of("s").keep("something");
      await expect(read("s", name)).rejects.toMatchObject({
        code: "not-found",
        message: expect.stringMatching(/Run the tool again/),
      });
    },
  );

  test("of 200 MB is kept up to 20 MB and says so; everything else goes on meanwhile", async () => {
    const { folder, files, stored } = aShelf();
    const text = Buffer.alloc(200_000_000, "0123456789\n").toString("latin1");
    let rounds = 0;
    let isDone = false;
    const others = (async () => {
      for (; !isDone; rounds++) await nextRound();
    })();
    await files.of("s").keep(text);
    isDone = true;
    await others;
    expect(rounds).toBeGreaterThan(20_000_000 / (64 * 1024)); // one at least for each piece
    const kept = readFileSync(join(folder, stored()[0] ?? ""), "utf8");
    expect(kept.length).toBeGreaterThan(19_900_000);
    expect(kept.length).toBeLessThan(20_000_100);
    expect(kept.endsWith("\n[cut: more than 20 MB]")).toBe(true);
  });

  test("is cut between characters wherever the pieces end", async () => {
    const { folder, files, stored } = aShelf();
    for (const shift of ["", "a", "ab"]) {
      await files.remove("s");
      const text = shift + "😀".repeat(100_000);
      await files.of("s").keep(text);
      expect(readFileSync(join(folder, stored()[0] ?? ""), "utf8")).toBe(text);
    }
  });

  test("that cannot be put in its place leaves nothing half", async () => {
    const { folder, files, stored } = aShelf();
    await files.of("s").keep("text");
    const [path = ""] = stored();
    rmSync(join(folder, path));
    mkdirSync(join(folder, path));
    await expect(files.of("s").keep("text")).rejects.toThrow();
    expect(readdirSync(folder)).toHaveLength(1);
  });
});

describe("what is removed", () => {
  test("is all of one chat and nothing of another", async () => {
    const { files, read, stored } = aShelf();
    const [one, other] = [await files.of("a").keep("one"), await files.of("b").keep("other")];
    await files.remove("a");
    await files.remove("never heard of");
    await expect(read("a", one)).rejects.toMatchObject({ code: "not-found" });
    expect(await read("b", other)).toBe("other");
    expect(stored()).toHaveLength(1);
  });

  test("by the next start is what a crash left half written or half removed, and nothing else", async () => {
    const { folder, files, read } = aShelf();
    await files.sweep(); // before there is anything
    const name = await files.of("s").keep("kept");
    writeFileSync(join(folder, "~half"), "half");
    mkdirSync(join(folder, "~gone"));
    writeFileSync(join(folder, "~gone", "0123456789abcdef.txt"), "gone");
    await files.sweep();
    expect(readdirSync(folder)).toHaveLength(1);
    expect(await read("s", name)).toBe("kept");
  });
});
