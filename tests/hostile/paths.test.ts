import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { listFilesTool } from "../../src/main/tools/list-files.ts";
import { openFile } from "../../src/main/tools/paths.ts";
import { readFileTool } from "../../src/main/tools/read-file.ts";
import type { Tool } from "../../src/main/tools/tool.ts";
import { AppError } from "../../src/shared/errors.ts";
import { type HostileTree, makeHostileTree } from "../support/hostile-tree.ts";

const Case = z.strictObject({ id: z.string(), input: z.string(), expected: z.string(), why: z.string() });
const cases = z.array(Case).parse(JSON.parse(readFileSync(join(import.meta.dirname, "paths.json"), "utf8")));

describe.skipIf(process.platform === "win32")("a path that a model wrote", () => {
  let tree: HostileTree;
  beforeAll(async () => {
    tree = await makeHostileTree();
  });
  afterAll(() => tree.remove());

  const written = (input: string) =>
    input
      .replace("{workspace}", tree.workspace)
      .replace("{300 letters}", "n".repeat(300))
      .replace("{5000 letters}", "p/".repeat(2500));
  async function outcome(tool: Tool, input: unknown): Promise<{ code: string; text: string }> {
    const context = {
      workspace: tree.workspace,
      signal: new AbortController().signal,
      now: new Date(0),
      timeZone: "UTC",
    };
    try {
      return { code: "ok", text: (await tool.run(input, context)).text };
    } catch (thrown) {
      if (!(thrown instanceof AppError)) throw thrown;
      return { code: thrown.code, text: thrown.message };
    }
  }

  test("has at least the known bad spellings, each once", () => {
    expect(cases.length).toBeGreaterThanOrEqual(69);
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  });

  test.each(cases)("$id $why: $expected", async ({ input, expected }) => {
    const path = written(input);
    const { code, text } = await outcome(readFileTool, { path });
    expect([code, /SECRET|root:/.test(text), text.includes("inside")]).toEqual([expected, false, expected === "ok"]);
    expect(text.length).toBeLessThan(500);
  });

  const outside = ["..", "/", "../out", "{workspace}-evil", "d/../..", "ln", "ll", "self/ln", "proc", "proc/fd"];
  test.each([...outside, "self", "ok.txt", "pipe", "loop-a", "dangling"])(
    "is not listed when it is %j",
    async (input) => {
      expect((await outcome(listFilesTool, { folder: written(input) })).code).toBe("path-refused");
    },
  );

  test("lists only what can be read, and no way out, when it is the workspace", async () => {
    const { text } = await outcome(listFilesTool, { folder: "self/../." });
    const names = text.split("\n").map((line) => line.replace(/ \(.*/, ""));
    const regular = [".env", "cafe\u0301.txt", "hard.txt", "huge", "ok.txt", "\u00fcber.txt", "d/inner.txt"];
    expect(names).toEqual(regular);
  });

  test("opens nothing outside the workspace, whatever it is made of", async () => {
    const names = [
      "ok.txt",
      "d",
      "inner.txt",
      "ln",
      "ll",
      "lf",
      "self",
      "secret",
      "out",
      "ws",
      "ws-evil",
      "x",
      "loop-a",
      "pipe",
      "proc",
      "fd",
      "root",
    ];
    const pieces = [..."./\\:~% \0é", "e\u0301", "..", "../", "//", ...names, ...names.map((name) => `${name}/`)];
    const paths = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((list) => list.join(""));
    let opened = 0;
    await fc.assert(
      fc.asyncProperty(paths, async (path) => {
        const file = await openFile(tree.workspace, path).catch((thrown: unknown) => {
          expect(thrown).toBeInstanceOf(AppError);
          return undefined;
        });
        if (file === undefined) return;
        opened += 1;
        const text = await file.handle.readFile("utf8").finally(() => file.handle.close());
        expect(text).toMatch(/^inside/);
      }),
      { numRuns: 10_000 },
    );
    expect(opened).toBeGreaterThan(10);
  });

  test("does not get out while its folder is exchanged for a link", async () => {
    const [swap, real, link] = ["swap", "swap-real", "swap-link"].map((name) => join(tree.workspace, name));
    mkdirSync(real!);
    writeFileSync(join(real!, "secret"), "inside");
    symlinkSync("../out", link!);
    renameSync(real!, swap!);
    const script = `
      const { renameSync } = require("node:fs");
      const [swap, real, link] = process.argv.slice(1);
      console.log("ready");
      for (;;) { renameSync(swap, real); renameSync(link, swap); renameSync(swap, link); renameSync(real, swap); }`;
    const racer = spawn(process.execPath, ["-e", script, swap!, real!, link!], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(racer.stdout, "data");
    const seen = { inside: 0, refused: 0, outside: 0 };
    try {
      for (let tries = 0; tries < 5000 && (tries < 1500 || seen.refused === 0 || seen.inside === 0); tries += 1) {
        const { code, text } = await outcome(readFileTool, { path: "swap/secret" });
        if (code !== "ok") seen.refused += 1;
        else if (text === "inside") seen.inside += 1;
        else seen.outside += 1;
      }
    } finally {
      racer.kill("SIGKILL");
      await once(racer, "exit");
    }
    expect(seen).toMatchObject({ outside: 0 });
    expect([seen.inside > 0, seen.refused > 0]).toEqual([true, true]);
  });

  test("finds no workspace when its folder was renamed meanwhile", async () => {
    const elsewhere = join(dirname(tree.workspace), "renamed");
    renameSync(tree.workspace, elsewhere);
    const { code } = await outcome(readFileTool, { path: "ok.txt" });
    renameSync(elsewhere, tree.workspace);
    expect(code).toBe("not-found");
  });
});
