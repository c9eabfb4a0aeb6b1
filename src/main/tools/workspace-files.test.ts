import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { listFilesTool } from "./list-files.ts";
import { listWorkspace, namedFiles } from "./workspace-files.ts";

let workspace: string;
const { signal } = new AbortController();
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "lares-list-"));
});
afterEach(() => rmSync(workspace, { recursive: true }));

function put(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), path);
  }
}
const list = async (folder?: string) => {
  const { files, complete } = await listWorkspace(workspace, signal, folder);
  return { files: files.map(({ path }) => path), complete };
};
const toolText = async (input: object) =>
  (await listFilesTool.run(input, { workspace, signal, now: new Date(0), timeZone: "UTC" })).text;

describe("the files of a workspace", () => {
  test("are listed nearest first and by name, without hidden folders, packages and links", async () => {
    put(
      "b.txt",
      "a.txt",
      ".env",
      "docs/z.md",
      "docs/deep/x.md",
      ".git/config",
      "node_modules/m/index.js",
      "c/.hidden/x",
    );
    symlinkSync("docs", join(workspace, "link"));
    symlinkSync("a.txt", join(workspace, "link.txt"));
    const files = [".env", "a.txt", "b.txt", "docs/z.md", "docs/deep/x.md"];
    expect(await list()).toEqual({ files, complete: true });
  });

  test("of one folder are listed with their whole path", async () => {
    put("a.txt", "docs/z.md", "docs/deep/x.md", ".git/config");
    expect((await list("docs")).files).toEqual(["docs/z.md", "docs/deep/x.md"]);
    expect((await list(".git")).files).toEqual([".git/config"]);
  });

  test("are left out when no tool could open them", async () => {
    put("ok.txt", "a:b.txt", "end.", "nul.txt", "x /y.txt");
    expect((await list()).files).toEqual(["ok.txt"]);
  });

  test("end at 2,000, and it says so", async () => {
    put(...Array.from({ length: 2001 }, (_, index) => `${index % 7}/${index}.txt`));
    const { files, complete } = await list();
    expect([files.length, complete]).toEqual([2000, false]);
  });

  test("end 8 folders deep, and it says so", async () => {
    put("1/2/3/4/5/6/7/8/in.txt");
    expect(await list()).toEqual({ files: ["1/2/3/4/5/6/7/8/in.txt"], complete: true });
    put("1/2/3/4/5/6/7/8/9/out.txt");
    expect(await list()).toEqual({ files: ["1/2/3/4/5/6/7/8/in.txt"], complete: false });
  });

  test.skipIf(process.getuid?.() === 0)("go on behind a folder that is closed to us", async () => {
    put("a/x.txt", "b/y.txt");
    chmodSync(join(workspace, "a"), 0);
    expect((await list()).files).toEqual(["b/y.txt"]);
    chmodSync(join(workspace, "a"), 0o700);
  });

  test("are shown by list_files with their sizes", async () => {
    put("a.txt", "docs/z.md");
    writeFileSync(join(workspace, "big.bin"), Buffer.alloc(1_234_567));
    expect(await toolText({})).toBe("a.txt (5 bytes)\nbig.bin (1.2 MB)\ndocs/z.md (9 bytes)");
    expect(await toolText({ folder: "docs" })).toBe("docs/z.md (9 bytes)");
  });

  test("are shown by list_files as far as there is room, and how to see the rest", async () => {
    put(...Array.from({ length: 500 }, (_, index) => `${index}-${"long".repeat(20)}.txt`));
    const text = await toolText({});
    expect(text.split("\n").at(-1)).toMatch(/^\[1\d\d of 500 files; name a folder to see the others\]$/);
    expect(text.length).toBeLessThanOrEqual(listFilesTool.resultCap);
  });

  test("may be none", async () => {
    mkdirSync(join(workspace, "empty"));
    expect([await toolText({}), await toolText({ folder: "empty" })]).toEqual([
      "[no files in the workspace]",
      "[no files in empty]",
    ]);
  });
});

describe("the files that a message names", () => {
  test("are files of the workspace, in the order of the message, and at most three", async () => {
    put("a.md", "b.md", "docs/c.md", "docs/d.md");
    expect(await namedFiles("d.md, b.md, docs/c.md and a.md", workspace)).toEqual(["docs/d.md", "b.md", "docs/c.md"]);
  });

  test("may be named by their absolute path", async () => {
    put("docs/c.md");
    expect(await namedFiles(`read ${join(workspace, "docs/c.md")}`, workspace)).toEqual(["docs/c.md"]);
  });

  test("are not folders or hidden things", async () => {
    put("docs.d/c.md", ".git/config.txt");
    symlinkSync("docs.d/c.md", join(workspace, "link.md"));
    expect(await namedFiles("docs.d config.txt", workspace)).toEqual([]);
  });

  test("may be links, or lead out: then the reading is what refuses them", async () => {
    put("a.md");
    symlinkSync("a.md", join(workspace, "link.md"));
    symlinkSync(tmpdir(), join(workspace, "away"));
    expect(await namedFiles("link.md", workspace)).toEqual(["link.md"]);
    expect(await namedFiles("Compare a.md with ../b.md, ~/c.md and away/d.md.", workspace)).toEqual([
      "a.md",
      "../b.md",
      "~/c.md",
    ]);
    expect(await namedFiles("看看/etc/passwd里有什么", workspace)).toEqual(["/etc/passwd"]);
    expect(await namedFiles("and/or 24/7, https://example.org/a/b.html, /status, 1/2/2026", workspace)).toEqual([]);
  });
});
