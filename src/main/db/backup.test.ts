import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { beforeEach, describe, expect, test } from "vitest";
import { aRow, storedTurn, temporaryFolder } from "../../../tests/support/stored-turn.ts";
import { backUp, newestSound } from "./backup.ts";
import { hasDaily, listBackups } from "./backup-names.ts";
import { createStore, type Store } from "./store.ts";

const DAY = 86_400_000;
const start = Date.UTC(2026, 10, 2, 12);

let file: string;
let folder: string;
let store: Store;
beforeEach(() => {
  const place = temporaryFolder();
  file = join(place, "lares.db");
  folder = join(place, "backups");
  store = createStore(file);
  storedTurn(store);
  store.append(aRow("hello", { status: "pending" }));
  return () => store.close();
});

const daily = (now: number) => backUp({ file, folder, kind: "daily", now });
const days = () => listBackups(folder).map(({ kind, at }) => `${kind} ${Math.round((at - start) / DAY)}`);

test("a backup is a whole database of its own, made while the store is in use, and for its owner only", () => {
  const { name } = daily(start);
  expect(readdirSync(folder)).toEqual([name]);
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  store.append(aRow("later"));
  const copy = createStore(join(folder, name));
  expect([copy.check(), copy.page("s", { limit: 9 }).length]).toEqual([[], 1]);
  copy.close();
});

test("three days are kept, and the first backup of two weeks before", () => {
  for (let day = 0; day < 25; day++) daily(start + day * DAY);
  expect(days()).toEqual(["daily 24", "daily 23", "daily 22", "weekly 17", "weekly 10"]);
});

test("what a person asked for and what was made before a migration are kept beside, the newest of each", () => {
  backUp({ file, folder, kind: "by-hand", now: start });
  copyFileSync(file, join(folder, "before-migration-from-2-2026.db"));
  for (let day = 0; day < 6; day++) daily(start + day * DAY);
  expect(days().filter((day) => !/daily|weekly/.test(day))).toHaveLength(2);
  backUp({ file, folder, kind: "by-hand", now: start });
  expect(listBackups(folder).filter(({ kind }) => kind === "by-hand")).toHaveLength(1);
});

test.each([
  ["ten years ahead and back again", [0, 1, 2, 3_650, 3_651, 3, 4]],
  ["ten years back", [0, 1, 2, -3_650, -3_649]],
  ["the same day again and again", [0, 0, 0, 0, 0, 0]],
])("a clock that goes %s removes no backup but the surplus: the newest are there", (_, jumps) => {
  for (const day of jumps) daily(start + day * DAY);
  const kept = listBackups(folder).map(({ number }) => number);
  expect(kept.slice(0, 3)).toEqual([jumps.length, jumps.length - 1, jumps.length - 2]);
});

test("the backup of a day is asked for once, and again after the clock was set to another day", () => {
  expect(hasDaily(listBackups(folder), start)).toBe(false);
  daily(start);
  expect(hasDaily(listBackups(folder), start + 1_000)).toBe(true);
  expect(hasDaily(listBackups(folder), start + DAY)).toBe(false);
  expect(hasDaily(listBackups(folder), start - 400 * DAY)).toBe(false);
});

test("nothing is removed for the sake of a damaged backup, nor is that one", () => {
  const thursday = start + 3 * DAY; // so that all of these days are of one week
  const names = [0, 1, 2].map((day) => daily(thursday + day * DAY).name);
  writeFileSync(join(folder, names[2] ?? ""), "Dear diary");
  for (const day of [3, 4]) daily(thursday + day * DAY);
  expect(listBackups(folder).map(({ number }) => number)).toEqual([5, 4, 3, 2, 1]);
  expect(newestSound(folder)?.name).toMatch(/^daily-000005/);
});

describe("when there can be none", () => {
  test("no room for it: the older ones are kept, nothing is left over, and it says how much is missing", () => {
    const { name } = daily(start);
    expect(() => backUp({ file, folder, kind: "daily", now: start + DAY, spareBytes: 1e18 })).toThrow(
      expect.objectContaining({
        code: "disk-full",
        message: expect.stringMatching(/needs \d+ MB.*older ones are kept/),
      }),
    );
    expect(readdirSync(folder)).toEqual([name]);
  });

  test("damaged: what is wrong is not put in the place of what is right", () => {
    const { name } = daily(start);
    const sqlite = new Sqlite(file);
    sqlite.exec("UPDATE message SET text = 'x', hash = x'00'");
    sqlite.close();
    expect(() => daily(start + DAY)).toThrow(expect.objectContaining({ code: "data-damaged" }));
    expect(readdirSync(folder)).toEqual([name]);
  });

  test("a folder that cannot be one", () => {
    writeFileSync(folder, "");
    expect(() => daily(start)).toThrow(expect.objectContaining({ code: "data-folder" }));
  });
});

test("what a crash left of a backup is removed by the next, and is never taken for one", () => {
  mkdirSync(folder);
  writeFileSync(join(folder, "backup.part"), readFileSync(file));
  writeFileSync(join(folder, "check-77.part"), readFileSync(file));
  expect([listBackups(folder), newestSound(folder)]).toEqual([[], undefined]);
  const { name } = daily(start);
  expect(readdirSync(folder)).toEqual([name]);
});

test("search that does not match the rows is no reason to have no backup: it can be made anew", () => {
  const sqlite = new Sqlite(file);
  sqlite.exec("INSERT INTO message_word (message_word) VALUES ('delete-all')");
  sqlite.close();
  expect(daily(start).name).toMatch(/^daily-000001-20261102T120000Z\.db$/);
});
