import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { storedTurn, temporaryFolder } from "../../../tests/support/stored-turn.ts";
import { openDataFolder } from "./data-folder.ts";
import { lockDataFolder } from "./lock.ts";
import { createStore } from "./store.ts";

test("a missing folder is made, with its parents, for its owner alone, and left empty", () => {
  const folder = join(temporaryFolder(), "deep", "er");
  expect(openDataFolder(folder)).toBe(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(folder)).toEqual([]);
});

test("a folder that is there keeps its rights and what is in it", () => {
  const folder = join(temporaryFolder(), "mine");
  mkdirSync(folder, { mode: 0o755 });
  writeFileSync(join(folder, "note"), "kept");
  openDataFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o755);
  expect(readdirSync(folder)).toEqual(["note"]);
});

const names = {
  spaces: "my  private data ",
  emoji: "🏡 家 données",
  "signs of a URL": "a#b?mode=ro&c%20d",
  quotes: `it's "mine"`,
  "dashes in front": "--help",
  "a long name": "x".repeat(200),
};
test.each(Object.entries(names))("a folder with %s in its path works to the last", async (_, name) => {
  const folder = openDataFolder(join(temporaryFolder(), name));
  const lock = await lockDataFolder(folder, { waitMs: 0 });
  const store = createStore(join(folder, "lares.db"));
  storedTurn(store);
  store.close();
  lock.release();
  expect(readdirSync(folder).sort()).toEqual(["lares.db", "lock"]);
});

test("the longest path that is allowed works, and a longer one is refused", () => {
  const base = join(temporaryFolder(), "x".repeat(200), "y".repeat(200));
  const folder = openDataFolder(join(base, "z".repeat(479 - base.length)));
  const store = createStore(join(folder, "lares.db"));
  storedTurn(store);
  store.close();
  expect(() => openDataFolder(`${folder}z`)).toThrow(/longer than 480 bytes/);
});

const unusable: Record<string, [make: (base: string) => string, words: RegExp]> = {
  "a file": [
    (base) => {
      writeFileSync(join(base, "file"), "");
      return join(base, "file");
    },
    /it is a file/,
  ],
  "below a file": [
    (base) => {
      writeFileSync(join(base, "file"), "");
      return join(base, "file", "below");
    },
    /cannot be opened/,
  ],
  "a link to nowhere": [
    (base) => {
      symlinkSync(join(base, "none", "deep"), join(base, "link"));
      return join(base, "link");
    },
    /cannot be opened/,
  ],
  "a path with a NUL": [(base) => join(base, "a\0b"), /NUL/],
  "a name that is too long": [(base) => join(base, "x".repeat(300)), /cannot be opened/],
};
test.each(Object.entries(unusable))("%s cannot be the data folder", (_, [make, words]) => {
  const path = make(temporaryFolder());
  expect(() => openDataFolder(path)).toThrow(expect.objectContaining({ code: "data-folder" }));
  expect(() => openDataFolder(path)).toThrow(words);
});

/** Mounts a tiny disk of its own, in a namespace of its own, and gives the code that opening a folder there throws. */
function codeOn(disk: string): string {
  const program = `
    import { openDataFolder } from ${JSON.stringify(join(import.meta.dirname, "data-folder.ts"))};
    try { openDataFolder(process.argv[1] + "/data"); console.log("fine"); } catch ({ code }) { console.log(code); }`;
  const folder = temporaryFolder();
  const script = `mount -t tmpfs -o size=16k none "$0" && ${disk} && "$1" --input-type=module --eval "$2" "$0"`;
  const values = ["--mount", "sh", "-c", script, folder, process.execPath, program];
  return execFileSync("unshare", values, { encoding: "utf8", stdio: "pipe" }).trim();
}

const canMount = (() => {
  try {
    execFileSync("unshare", ["--mount", "sh", "-c", "mount -t tmpfs none /mnt"], { stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
})();

test.skipIf(!canMount)("a disk without room says so", () => {
  expect(codeOn("true")).toBe("disk-full");
});

test.skipIf(!canMount)("a disk that may only be read says so", () => {
  expect(codeOn('mount -o remount,ro none "$0"')).toBe("data-read-only");
});
