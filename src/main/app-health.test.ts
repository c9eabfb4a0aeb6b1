import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { aRow, storedTurn, temporaryFolder } from "../../tests/support/stored-turn.ts";
import type { HealthItem, HealthReport } from "../shared/health.ts";
import { createHealth, endedCleanly } from "./app-health.ts";
import { createStore, type Store } from "./db/store.ts";
import { silentLog } from "./lib/log.ts";

const CANARY = "xylophone-in-the-attic";

let dataFolder: string;
let file: string;
let store: Store;
beforeEach(() => {
  dataFolder = temporaryFolder();
  file = join(dataFolder, "lares.db");
  store = createStore(file);
  storedTurn(store, "t", CANARY);
  store.append(aRow(CANARY, { sessionId: CANARY, status: "pending" }));
  return () => store.close();
});

type Options = Parameters<typeof createHealth>[0];

function aHealth(options: Partial<Options> = {}) {
  const waiting: { want: (report: HealthReport) => boolean; resolve: (report: HealthReport) => void }[] = [];
  const health = createHealth({
    dataFolder,
    storage: { mode: "normal" },
    store,
    endedCleanly: true,
    isBusy: () => false,
    isEngineRunning: () => false,
    log: silentLog,
    tell: (report) => {
      for (const one of waiting) if (one.want(report)) one.resolve(report);
    },
    ...options,
  });
  onTestFinished(() => health.close());
  /** The first report that is told from now on and is like this. */
  const told = (want: (report: HealthReport) => boolean) =>
    new Promise<HealthReport>((resolve) => waiting.push({ want, resolve }));
  return { health, told, item: (id: HealthItem["id"]) => itemOf(health.report(), id) };
}

const itemOf = (report: HealthReport, id: HealthItem["id"]) => report.items.find((item) => item.id === id);
const isLooked = ({ checking, items }: HealthReport) =>
  !checking && items.some(({ id, state }) => id === "integrity" && state !== "unknown");
const isSearchLooked = ({ checking, items }: HealthReport) =>
  !checking && items.some(({ id, state }) => id === "search" && state !== "unknown");

function tamper(sql: string): void {
  const sqlite = new Sqlite(file);
  sqlite.exec(sql);
  sqlite.close();
}

/** `asked` resolves when it was asked five times whether an answer is made. */
function asking(busy: boolean) {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  let times = 0;
  const isBusy = () => {
    times += 1;
    if (times > 5) resolve();
    return busy;
  };
  return { asked, isBusy };
}

test("at first nothing is claimed that nobody looked at", () => {
  const { health } = aHealth();
  const states = Object.fromEntries(health.report().items.map(({ id, state }) => [id, state]));
  expect(states).toMatchObject({
    storage: "good",
    integrity: "unknown",
    rows: "unknown",
    search: "unknown",
    backup: "unknown",
  });
  expect(health.report()).toMatchObject({ checking: false, backups: [], rescues: [], dataFolder });
});

test("a look is told of when it begins and when it is done, and the next start still knows of it", async () => {
  const { health, told } = aHealth();
  const begun = told(({ checking }) => checking);
  const done = told(isSearchLooked);
  health.check();
  await begun;
  const report = await done;
  expect(["integrity", "rows", "search"].map((id) => itemOf(report, id as "rows")?.state)).toEqual([
    "good",
    "good",
    "good",
  ]);
  expect(report.messages).toBe(1);
  await health.close();
  expect(aHealth().item("search")).toMatchObject({ state: "good", at: expect.any(Number) });
});

test("a damaged message is told, stays told when only the newest rows are looked at, and marks the data for a rescue", async () => {
  tamper("UPDATE message SET created_at = 77");
  const first = aHealth();
  const done = first.told(isSearchLooked);
  first.health.check();
  const report = await done;
  expect(itemOf(report, "rows")).toMatchObject({
    state: "bad",
    code: "data-damaged",
    details: ["Message 1 is not what was written."],
  });
  expect(itemOf(report, "rescue")).toMatchObject({ state: "attention" });
  expect(existsSync(join(dataFolder, "rescue-wanted"))).toBe(true);
  await first.health.close();
  expect(aHealth().item("rows")).toMatchObject({ state: "bad" });
});

test("search that does not match the messages is made anew by itself", async () => {
  store.append(aRow("about elephants", { sessionId: CANARY, role: "assistant" }));
  for (const index of ["message_word", "message_trigram"]) {
    tamper(`INSERT INTO ${index} (${index}) VALUES ('delete-all')`);
  }
  expect(store.search("elephants", { limit: 5 })).toEqual([]);
  const { health, told } = aHealth();
  const done = told(isSearchLooked);
  health.check();
  expect(itemOf(await done, "search")).toMatchObject({ state: "good" });
  expect(store.search("elephants", { limit: 5 })).toHaveLength(1);
  expect(existsSync(join(dataFolder, "rescue-wanted"))).toBe(false);
});

test("a backup by hand is there when it is told of", async () => {
  const { health, told } = aHealth();
  const done = told(({ backups }) => backups.length > 0);
  health.backUp();
  const report = await done;
  expect(report.backups).toMatchObject([{ kind: "by-hand", bytes: expect.any(Number) }]);
  expect(itemOf(report, "backup")).toMatchObject({ state: "good" });
  expect(itemOf(report, "backup")?.details.join()).toMatch(/Chats that you delete stay in the backups/);
});

test("a backup that cannot be made is told with what was kept", async () => {
  writeFileSync(join(dataFolder, "backups.txt"), "");
  mkdirSync(join(dataFolder, "backups"));
  mkdirSync(join(dataFolder, "backups", "backup.part", "in the way"), { recursive: true });
  const { health, told } = aHealth();
  const done = told(({ items }) => items.some(({ id, state }) => id === "backup" && state === "attention"));
  health.backUp();
  expect(itemOf(await done, "backup")?.details[0]).not.toBe("");
});

describe("by itself", () => {
  test("after an unclean end it looks at what was written last", async () => {
    const { told, item } = aHealth({ endedCleanly: false, afterCrashMs: 5 });
    await told(isLooked);
    expect(item("integrity")).toMatchObject({ state: "good" });
    expect(item("search")).toMatchObject({ state: "unknown" });
  });

  test("in the first quiet moments of a day it makes a backup and looks at everything, once", async () => {
    const { told, health } = aHealth({ everyMs: 20 });
    await told(({ backups }) => backups.length === 1);
    await told(isSearchLooked);
    await health.close();
    expect(health.report().backups).toMatchObject([{ kind: "daily" }]);
    const { isBusy, asked } = asking(false);
    const again = aHealth({ everyMs: 5, isBusy });
    await asked;
    expect(again.health.report()).toMatchObject({ checking: false, backups: [{ kind: "daily" }] });
  });

  test("nothing is done while an answer is made", async () => {
    const { isBusy, asked } = asking(true);
    const { health } = aHealth({ everyMs: 5, isBusy });
    await asked;
    expect(health.report()).toMatchObject({ checking: false, backups: [] });
    expect(readdirSync(dataFolder)).not.toContain("backups");
  });
});

test("a word about a rescue is there until it was read, and then still, as history", async () => {
  mkdirSync(join(dataFolder, "damaged", "2026-11-30"), { recursive: true });
  const note = {
    at: 1_000,
    keptAs: join(dataFolder, "damaged", "2026-11-30"),
    recovered: 97,
    total: 100,
    base: "daily-000001.db",
  };
  writeFileSync(join(dataFolder, "damaged", "2026-11-30", "rescued.json"), JSON.stringify(note));
  const { health, item } = aHealth();
  expect(health.report().rescues).toEqual([{ ...note, seen: false }]);
  expect(item("rescue")).toMatchObject({ state: "attention" });
  health.seen();
  expect(health.report().rescues).toEqual([{ ...note, seen: true }]);
  expect(item("rescue")).toMatchObject({ state: "good" });
});

test("where nothing can be written, what is wrong is said and nothing is tried", () => {
  const error = { code: "data-newer", message: "A newer Lares wrote it.", retryable: false } as const;
  const { item } = aHealth({ storage: { mode: "read-only", error }, everyMs: 1, endedCleanly: false });
  expect(item("storage")).toMatchObject({ state: "bad", code: "data-newer", details: [error.message] });
});

test("the diagnostics have figures and codes, and not one word of what was said, no name and no path", async () => {
  tamper("UPDATE message SET created_at = 77");
  const { health, told } = aHealth();
  const done = told(isSearchLooked);
  health.check();
  await done;
  const text = health.diagnostics();
  expect(JSON.parse(text)).toMatchObject({
    messages: 1,
    versions: { node: process.version },
    storage: { mode: "normal" },
  });
  expect(text).toMatch(/data-damaged/);
  expect(text).not.toContain(CANARY);
  expect(text).not.toContain(dataFolder);
  expect(JSON.stringify(health.report())).not.toContain(CANARY);
});

test("a run that was killed is known by its journal", () => {
  store.close();
  expect(endedCleanly(dataFolder)).toBe(true);
  writeFileSync(`${file}-wal`, "");
  expect(endedCleanly(dataFolder)).toBe(true); // looked at, and nothing written
  writeFileSync(`${file}-wal`, "something");
  expect(endedCleanly(dataFolder)).toBe(false);
  expect(endedCleanly(join(dataFolder, "none"))).toBe(true);
});
