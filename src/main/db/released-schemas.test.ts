import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../tests/support/stored-turn.ts";
import { textOf } from "../../shared/message.ts";
import { createStore, type Store } from "./store.ts";

const fixture = (schema: number) =>
  join(import.meta.dirname, "..", "..", "..", "tests", "fixtures", `schema-${schema}.db`);

/** A data folder as the Lares of that schema left it. */
function anOldFolder(schema: number) {
  const folder = temporaryFolder();
  const file = join(folder, "lares.db");
  copyFileSync(fixture(schema), file);
  return { folder, file, backups: join(folder, "backups") };
}

/** All rows of a file as they are stored, whatever the code of today makes of them. */
function rowsOf(file: string): unknown {
  const sqlite = new Sqlite(file, { readonly: true });
  const rows = sqlite.prepare("SELECT id, role, status, hash, parts FROM message ORDER BY id").all();
  sqlite.close();
  return rows;
}

const versionOf = (file: string) => {
  const sqlite = new Sqlite(file, { readonly: true });
  const version = sqlite.pragma("user_version", { simple: true });
  sqlite.close();
  return version;
};

const said = (store: Store, chatId: string) =>
  store.page(chatId, { limit: 99 }).map(({ role, parts }) => `${role}: ${textOf(parts)}`);

describe.each([1, 2, 3])("a database of schema %i", (schema) => {
  test("reads as it did, and nothing is wrong with it", () => {
    const { file } = anOldFolder(schema);
    const before = rowsOf(file);
    const store = createStore(file);
    expect(store.check()).toEqual([]);
    expect(said(store, "chat-a")).toContain("assistant: A lar watches over the house. 家神。");
    expect(said(store, "chat-b").slice(-2)).toEqual(["user: The last one", "assistant: Half an answer 半"]);
    expect(store.unfinishedTurns().map(({ id }) => id)).toEqual(["b2"]);
    expect(store.waiting("chat-b").map(({ id }) => id)).toEqual(["in-waiting"]);
    expect(store.waiting("chat-a").map(({ id, state }) => [id, state])).toEqual([["in-draft", "draft"]]);
    expect(store.setting("settings")).toBe('{"theme":"dark"}');
    store.close();
    expect(rowsOf(file)).toEqual(before);
  });

  test("is copied before it is changed, and the copy is what it was", () => {
    const { file, backups } = anOldFolder(schema);
    createStore(file).close();
    createStore(file).close();
    const [copy = "", ...more] = readdirSync(backups);
    expect(copy).toMatch(/^before-migration-4-.*\.db$/);
    expect(more).toEqual([]);
    expect([versionOf(join(backups, copy)), rowsOf(join(backups, copy))]).toEqual([schema, rowsOf(fixture(schema))]);
  });

  test("that cannot be copied is not changed: it is read, and each write says why", () => {
    const { file, backups } = anOldFolder(schema);
    writeFileSync(backups, "not a folder");
    const store = createStore(file);
    expect(store.readOnly?.message).toMatch(/is of an older Lares, and no copy of it could be made/);
    expect(said(store, "chat-a")).toContain("assistant: A lar watches over the house. 家神。");
    expect(() => store.setSetting("a", "1")).toThrow(/no copy of it could be made/);
    store.close();
    expect(readFileSync(file)).toEqual(readFileSync(fixture(schema)));
    rmSync(backups);
    const again = createStore(file);
    again.setSetting("a", "1");
    expect(again.check()).toEqual([]);
    again.close();
  });
});

test("the branch, the draft and the deleted chat of schema 2 are there", () => {
  const store = createStore(anOldFolder(2).file);
  expect(store.turnView("a3")?.variants).toEqual(["a2", "a3"]);
  expect(store.draft("chat-b")).toBe("what I began to wri");
  expect(store.chats().map(({ id, pinned }) => [id, pinned])).toEqual([
    ["chat-a", false],
    ["chat-b", true],
  ]);
  store.restoreChat("chat-c");
  expect(said(store, "chat-c")).toContain("assistant: Deleted.");
  store.close();
});

test("the goal and the notice of schema 3 are there", () => {
  const store = createStore(anOldFolder(3).file);
  expect(store.goal("chat-a")).toMatchObject({ text: "Find the house", state: "paused" });
  expect(store.turnView("a3")?.notices).toEqual([{ code: "info", text: "A notice." }]);
  store.close();
});

const open = `const { createStore } = await import(${JSON.stringify(join(import.meta.dirname, "store.ts"))});
  createStore(process.argv[1]).close();`;
const faults = join(import.meta.dirname, "..", "..", "..", "tests", "crash", "faults.c");
const canKill = process.platform === "linux" && existsSync(faults) && spawnSync("cc", ["--version"]).status === 0;

/** Every write of so many: each is a start of Node, a third of a second. LARES_KILL_STEP=1 leaves none out. */
const STEP = Number(process.env.LARES_KILL_STEP ?? 11);

describe.skipIf(!canKill)("killed while it is brought to the newest schema (skipped without a C compiler)", () => {
  test.each([1, 2, 3])(
    "at any of its writes, a database of schema %i is the old one or the new one, with all of its rows",
    (schema) => {
      const library = join(temporaryFolder(), "faults.so");
      execFileSync("cc", ["-O1", "-shared", "-fPIC", "-o", library, faults, "-ldl", "-pthread"]);
      const before = rowsOf(fixture(schema));
      const versions = new Set<unknown>();
      let killed = 0;
      for (let at = 1; ; at += STEP) {
        const { folder, file } = anOldFolder(schema);
        const fault = { LARES_FAULT_FOLDER: folder, LARES_FAULT_MODE: "kill-before", LARES_FAULT_AT: String(at) };
        const env = { ...process.env, ...fault, LD_PRELOAD: library };
        const { signal } = spawnSync(process.execPath, ["--input-type=module", "-e", open, file], { env });
        versions.add(versionOf(file));
        expect(rowsOf(file), `killed at ${at}`).toEqual(before);
        const store = createStore(file);
        expect([store.readOnly, store.check()], `killed at ${at}`).toEqual([undefined, []]);
        store.close();
        expect(rowsOf(file)).toEqual(before);
        if (signal === null) break;
        killed++;
      }
      expect(killed).toBeGreaterThan(5);
      expect([versions.has(schema), versions.has(3)]).toEqual([true, true]);
    },
    120_000,
  );
});
