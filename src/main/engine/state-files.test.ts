import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aLog, temporaryFolder } from "../../../tests/support/fake-engine.ts";
import { silentLog } from "../lib/log.ts";
import { StateFiles, type StateFilesOptions, type StateOwner } from "./state-files.ts";

const folderOf = () => join(temporaryFolder(), "state");
const filesIn = (folder: string, more: Partial<StateFilesOptions> = {}) =>
  new StateFiles({ folder, log: silentLog, freeBytes: async () => 1e9, ...more });
const owner = (chatId: string, path = "/models/a.gguf"): StateOwner => ({
  chatId,
  file: { path, size: 1, changed: 2 },
  key: "key",
});

/** Saves a state of so many bytes, as the engine does. */
async function save(files: StateFiles, of: StateOwner, bytes: number): Promise<void> {
  const draft = await files.begin(of);
  if (!draft) throw new Error("There is no room.");
  const content = Buffer.alloc(bytes, 7);
  writeFileSync(draft.path, content);
  await files.keep(of, draft, { tokens: 600, bytes, sha256: createHash("sha256").update(content).digest("hex") });
}

const have = async (files: StateFiles, chats: readonly string[]) =>
  (await Promise.all(chats.map((chat) => files.find(owner(chat))))).map((state) => state !== undefined);

test("a state is found again by the next start, with what was said of it", async () => {
  const folder = folderOf();
  await save(filesIn(folder), owner("a"), 100);
  const found = await filesIn(folder).find(owner("a"));
  expect(found).toMatchObject({ tokens: 600, bytes: 100 });
  expect(statSync(found?.path ?? "").size).toBe(100);
});

test("nobody else can read what is kept", async () => {
  const folder = folderOf();
  await save(filesIn(folder), owner("a"), 100);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
});

test("no name tells which chat or which model it is", async () => {
  const folder = folderOf();
  await save(filesIn(folder), owner("chat-of-anna", "/models/secret.gguf"), 100);
  expect(readdirSync(folder).join()).not.toMatch(/anna|secret/);
});

test("all states together take a twentieth of what is free; the least used go first", async () => {
  const folder = folderOf();
  let free = 60_000;
  // What the states take is taken from the disk.
  const used = () => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  const files = filesIn(folder, { freeBytes: async () => free - used() });
  mkdirSync(folder);
  for (const [at, chat] of ["a", "b"].entries()) {
    await save(files, owner(chat), 800);
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), at, at);
  }
  expect(await have(files, ["a"])).toEqual([true]); // used after b
  await save(files, owner("c"), 800);
  expect(await have(files, ["a", "b", "c"])).toEqual([true, false, true]);
  free = 20_000;
  await save(files, owner("d"), 500);
  expect(await have(files, ["a", "c", "d"])).toEqual([false, false, true]);
});

test("a disk of any size gives 2 GB at most, and a full one nothing", async () => {
  const draft = await filesIn(folderOf(), { freeBytes: async () => 1e15 }).begin(owner("a"));
  expect(draft?.mostBytes).toBe(2e9);
  const folder = folderOf();
  expect(await filesIn(folder, { freeBytes: async () => 0 }).begin(owner("a"))).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});

test("a start removes what was half written, and what was never sealed; whole ones stay", async () => {
  const folder = folderOf();
  const before = filesIn(folder);
  await save(before, owner("a"), 100);
  await before.begin(owner("a"));
  await before.begin(owner("b"));
  writeFileSync(join(folder, ".a.head.0"), "");
  writeFileSync(join(folder, "zz.head"), "seal\n{}");
  mkdirSync(join(folder, "a folder"));
  const after = filesIn(folder);
  expect(await have(after, ["a", "b"])).toEqual([true, false]);
  expect(readdirSync(folder)).toHaveLength(3);
});

test("a chat has a state for each model; removing the chat removes them and no other's", async () => {
  const folder = folderOf();
  const files = filesIn(folder);
  for (const of of [owner("a"), owner("a", "/models/b.gguf"), owner("b")]) await save(files, of, 100);
  expect(await files.find(owner("a", "/models/b.gguf"))).toBeDefined();
  await files.remove("a");
  expect(await have(files, ["a", "b"])).toEqual([false, true]);
  expect(await files.find(owner("a", "/models/b.gguf"))).toBeUndefined();
});

test("what cannot be used is removed, and the log says why and nothing else", async () => {
  const folder = folderOf();
  await save(filesIn(folder), owner("a"), 100);
  const log = aLog();
  expect(await filesIn(folder, { log }).find({ ...owner("a"), key: "other settings" })).toBeUndefined();
  expect(log.lines).toEqual([{ event: "state.refused", fields: { why: "other model or settings" } }]);
  expect(readdirSync(folder)).toEqual(["key"]);
});

test("a folder that cannot be read keeps nobody from an answer", async () => {
  const folder = join(temporaryFolder(), "state");
  writeFileSync(folder, "a file in its place");
  const files = filesIn(folder);
  expect(await files.find(owner("a"))).toBeUndefined();
  await expect(files.begin(owner("a"))).rejects.toMatchObject({ code: "EEXIST" });
});
