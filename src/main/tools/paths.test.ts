import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../tests/support/stored-turn.ts";
import { checkPath, openFile, openFolder } from "./paths.ts";

const workspace = resolve("/nowhere/ws"); // not on this disk: only the words of a path are looked at

describe("the words of a path", () => {
  test.each([
    ["a.txt", "a.txt"],
    ["docs//plan.md", "docs/plan.md"],
    ["docs\\plan.md", "docs/plan.md"],
    ["./docs/../a.txt", "a.txt"],
    ["docs/", "docs"],
    ["", "."],
    [join(workspace, "docs", "plan.md"), "docs/plan.md"],
    [workspace, "."],
    ["..notes", "..notes"],
    [".env", ".env"],
    ["报告 2025 👩‍👧.md", "报告 2025 👩‍👧.md"],
    ["console.log", "console.log"],
    ["n".repeat(255), "n".repeat(255)],
  ])("%j mean %j", (path, clean) => {
    expect(checkPath(workspace, path)).toBe(clean);
  });

  test.each([
    ["..", /outside the workspace/],
    ["../a.txt", /outside the workspace/],
    ["a/../../b", /outside the workspace/],
    ["/etc/passwd", /outside the workspace/],
    [`${workspace}-evil/x`, /outside the workspace/],
    ["\\\\server\\share", /outside the workspace/],
    ["a\0b", /cannot be seen/],
    ["a\u202eb", /cannot be seen/],
    ["é".repeat(128), /longer than 255 bytes/],
    ["p/".repeat(3000), /longer than 4096 bytes/],
    ["a:b", /names a drive or a stream/],
    ["a /b", /"a " ends with a dot or a space/],
    ["docs/LPT¹.txt", /"LPT¹.txt" is the name of a device/],
  ])("%j are refused before any disk is asked", (path, words) => {
    expect(() => checkPath(workspace, path)).toThrow(
      expect.objectContaining({ code: "path-refused", message: expect.stringMatching(words) }),
    );
  });

  test("are shown in quotes, escaped and short", () => {
    expect(() => checkPath(workspace, `\u001b[2J${"x".repeat(9000)}`)).toThrow(
      /^The path "\\u001b\[2Jx{115}…" is refused: /,
    );
  });
});

describe("the folder that Lares keeps its data in", () => {
  test("is closed to tools, wherever it lies in the workspace; a workspace inside it is open", async () => {
    const home = temporaryFolder();
    const data = join(home, "share", "lares");
    mkdirSync(join(data, "vault"), { recursive: true });
    mkdirSync(join(data, "workspace"));
    for (const name of ["lares.db", "vault/keys.json", "workspace/mine.txt"]) writeFileSync(join(data, name), "x");
    writeFileSync(join(home, "share", "open.txt"), "x");
    for (const name of ["share/lares/lares.db", "share/lares/vault/keys.json"])
      await expect(openFile(home, name)).rejects.toMatchObject({ code: "path-refused" });
    for (const folder of ["share/lares", "share/lares/vault"])
      await expect(openFolder(home, folder)).rejects.toMatchObject({ code: "path-refused" });
    await expect(openFile(data, "vault/keys.json")).rejects.toThrow(/of Lares itself/);
    const own = await openFile(join(data, "workspace"), "mine.txt");
    const beside = await openFile(home, "share/open.txt");
    await Promise.all([own.handle.close(), beside.handle.close()]);
  });
});
