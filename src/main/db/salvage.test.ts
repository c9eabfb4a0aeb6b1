import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { PAGE, pagesOf } from "../../../tests/crash/damage-kinds.ts";
import { fillStore } from "../../../tests/crash/damaged-store.ts";
import { temporaryFolder } from "../../../tests/support/stored-turn.ts";
import { textOf } from "../../shared/message.ts";
import { reconcile } from "../agent/recovery.ts";
import { backUp } from "./backup.ts";
import { rescue } from "./salvage.ts";
import { createStore, type Store } from "./store.ts";

const now = Date.UTC(2026, 11, 1);

/** Made once: a store as months of use leave it. */
let whole: string;
beforeAll(() => {
  whole = join(mkdtempSync(join(tmpdir(), "lares-salvage-")), "lares.db");
  fillStore(whole, { rows: 300 });
});
afterAll(() => rmSync(dirname(whole), { recursive: true }));

let folder: string;
let damaged: string;
let target: string;
let backupsFolder: string;
beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder, "damaged"));
  damaged = join(folder, "damaged", "lares.db");
  target = join(folder, "lares.db");
  backupsFolder = join(folder, "backups");
});

const bringOver = () => rescue({ damaged, backupsFolder, target, now });

function withStore<T>(file: string, work: (store: Store) => T): T {
  const store = createStore(file);
  try {
    return work(store);
  } finally {
    store.close();
  }
}

/** Everything in the tables, by table. The numbers that the store keeps for itself are made anew. */
function contents(file: string): Record<string, unknown[]> {
  const sqlite = new Sqlite(file, { readonly: true });
  const tables = sqlite
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all()
    .map(String)
    .filter((name) => name !== "counter");
  const rows = Object.fromEntries(tables.map((name) => [name, sqlite.prepare(`SELECT * FROM ${name}`).all()]));
  sqlite.close();
  return rows;
}

function wipe(file: string, ...pages: number[]): void {
  const bytes = readFileSync(file);
  for (const page of pages) bytes.fill(0, (page - 1) * PAGE, page * PAGE);
  writeFileSync(file, bytes);
}

const tamper = (file: string, sql: string) => {
  const sqlite = new Sqlite(file);
  sqlite.pragma("foreign_keys = 0");
  sqlite.exec(sql);
  sqlite.close();
};

test("a file in which nothing is damaged comes over whole, row by row", () => {
  copyFileSync(whole, damaged);
  const before = contents(damaged);
  const result = bringOver();
  expect(contents(target)).toEqual(before);
  expect(result).toEqual({ recovered: before.message?.length, total: before.message?.length });
  expect(withStore(target, (store) => [store.check(), store.searchChats("Question 77", 5).length])).toEqual([[], 1]);
});

test("what only the journal has comes over too", () => {
  copyFileSync(whole, damaged);
  const store = createStore(damaged);
  store.accept({ id: "late", sessionId: "late", channel: "test", text: "just now", createdAt: now });
  copyFileSync(`${damaged}-wal`, `${folder}/wal`);
  copyFileSync(damaged, `${folder}/db`);
  store.close();
  copyFileSync(`${folder}/wal`, `${damaged}-wal`);
  copyFileSync(`${folder}/db`, damaged);
  bringOver();
  expect(withStore(target, (store) => store.waiting("late"))).toMatchObject([{ text: "just now", state: "accepted" }]);
});

test("the journal of another database changes nothing", () => {
  copyFileSync(whole, damaged);
  const before = contents(damaged);
  const other = new Sqlite(join(folder, "other.db"));
  other.pragma("page_size = 2048");
  other.pragma("journal_mode = wal");
  other.exec("CREATE TABLE note (text TEXT)");
  for (let note = 0; note < 300; note++) other.prepare("INSERT INTO note VALUES (?)").run("word ".repeat(100));
  copyFileSync(join(folder, "other.db-wal"), `${damaged}-wal`);
  other.close();
  bringOver();
  expect(contents(target)).toEqual(before);
});

const roots: Record<string, (file: string) => number[]> = {
  "the header and the schema": () => [1],
  "the root of the messages": (file) => pagesOf(file, "message").slice(0, 1),
  "the root of the turns and of the queue": (file) => [
    ...pagesOf(file, "turn").slice(0, 1),
    ...pagesOf(file, "inbound").slice(0, 1),
  ],
  "the index of the messages, whole": (file) => pagesOf(file, "message_session"),
  "search, whole": (file) => [...pagesOf(file, "message_word_data"), ...pagesOf(file, "message_trigram_data")],
};
test.each(Object.entries(roots))("no message is lost with %s", (_, pages) => {
  copyFileSync(whole, damaged);
  const before = contents(damaged);
  wipe(damaged, ...pages(damaged));
  const { recovered } = bringOver();
  expect(contents(target).message).toEqual(before.message);
  expect(recovered).toBe(before.message?.length);
  expect(withStore(target, (store) => store.check())).toEqual([]);
});

test.each(["session", "turn", "inbound", "tool_call", "trace", "message_chunk", "request"])(
  "with the whole table %s gone, everything that was said is there, and nothing contradicts the rest",
  (table) => {
    copyFileSync(whole, damaged);
    const before = contents(damaged);
    wipe(damaged, ...pagesOf(damaged, table));
    const result = bringOver();
    const messages = contents(target).message as { id: number }[];
    expect(messages.map(({ id }) => id)).toEqual((before.message as { id: number }[]).map(({ id }) => id));
    expect(result.recovered).toBe(before.message?.length);
    withStore(target, (store) => {
      expect(store.check()).toEqual([]);
      reconcile(store, now);
      expect(store.check()).toEqual([]);
      expect(store.chats()).toHaveLength((before.session ?? []).length);
    });
  },
);

test("a person's own words whose row is lost are there again, because the queue has them", () => {
  copyFileSync(whole, damaged);
  const before = contents(damaged).message as { id: number; role: string; kind: string; text: string }[];
  const [lost] = pagesOf(damaged, "message").slice(5);
  wipe(damaged, lost ?? 0);
  const { recovered, total } = bringOver();
  expect(total).toBe(before.length);
  expect(recovered).toBeLessThanOrEqual(total);
  const after = new Set((contents(target).message as { text: string }[]).map(({ text }) => text));
  const mine = before.filter(({ role, kind }) => role === "user" && kind === "chat");
  expect(mine.filter(({ text }) => text && !after.has(text))).toEqual([]);
  expect(withStore(target, (store) => store.check())).toEqual([]);
});

test("a message with a flipped bit is taken from the backup where that has it, and else kept, and says that it may be wrong", () => {
  copyFileSync(whole, damaged);
  copyFileSync(damaged, target);
  backUp({ file: target, folder: backupsFolder, kind: "daily", now });
  writeFileSync(target, "");
  const bytes = readFileSync(damaged);
  const place = bytes.indexOf('"Answer 9:') + 1;
  bytes[place] = (bytes[place] ?? 0) ^ 1; // @nswer
  writeFileSync(damaged, bytes);
  const [backup] = readdirSync(backupsFolder);
  const count = contents(damaged).message?.length;

  const alone = rescue({ damaged, backupsFolder: join(folder, "none"), target: join(folder, "alone.db"), now });
  expect(alone).toEqual({ recovered: (count ?? 0) - 1, total: count });
  withStore(join(folder, "alone.db"), (store) => {
    const row = store.page("chat-2", { limit: 100 }).find(({ parts }) => textOf(parts).startsWith("@nswer 9:"));
    expect(row?.parts.at(-1)).toMatchObject({ type: "error", error: { code: "data-damaged" } });
    expect(store.check()).toEqual([]);
  });

  expect(bringOver()).toEqual({ recovered: count, total: count, base: backup });
  withStore(target, (store) => {
    const texts = store.page("chat-2", { limit: 100 }).map(({ parts }) => textOf(parts));
    expect(texts.filter((text) => text.startsWith("Answer 9:"))).toHaveLength(1);
    expect(store.check()).toEqual([]);
  });
});

test("what waited when the backup was made may have been answered since: it does not run by itself", () => {
  copyFileSync(whole, damaged);
  const store = createStore(damaged);
  const goal = { text: "g", budget: { iterations: 1, tokens: 1, minutes: 1 }, createdAt: now, updatedAt: now } as const;
  store.setGoal({ ...goal, sessionId: "chat-1", state: "active", spent: goal.budget });
  store.close();
  backUp({ file: damaged, folder: backupsFolder, kind: "daily", now });
  wipe(damaged, ...pagesOf(damaged, "inbound"), ...pagesOf(damaged, "goal"));
  bringOver();
  withStore(target, (store) => {
    expect(store.sessionsWaiting()).toEqual([]);
    expect(store.waiting("chat-0")).toMatchObject([{ id: "in-waiting", state: "draft" }]);
    expect(store.goal("chat-1")).toMatchObject({ state: "paused" });
    expect(store.check()).toEqual([]);
  });
});

test("a call whose result does not read any more is not called finished", () => {
  copyFileSync(whole, damaged);
  const bytes = readFileSync(damaged);
  bytes[bytes.indexOf('[{"type":"tool-result"')] = 0x28; // no JSON any more
  writeFileSync(damaged, bytes);
  const before = contents(damaged).tool_call ?? [];
  const { recovered, total } = bringOver();
  expect(recovered).toBe(total - 1);
  expect(contents(target).tool_call).toHaveLength(before.length - 1);
  expect(withStore(target, (store) => store.check())).toEqual([]);
});

test("what a backup has half written does not take the place of what was finished since", () => {
  copyFileSync(whole, damaged);
  backUp({ file: damaged, folder: backupsFolder, kind: "daily", now });
  const store = createStore(damaged);
  const [half] = store.turnMessages("turn-running").filter(({ status }) => status === "streaming");
  const parts = [{ type: "text", text: "It is whole." }] as const;
  store.finish(half?.id ?? 0, { parts, status: "complete", finishedAt: now });
  store.close();
  bringOver();
  withStore(target, (store) => {
    expect(store.turnMessages("turn-running").at(-1)).toMatchObject({ status: "complete", parts });
    expect(store.check()).toEqual([]);
  });
});

test("a damaged backup is no help and is passed over for an older one", () => {
  copyFileSync(whole, damaged);
  const first = backUp({ file: damaged, folder: backupsFolder, kind: "daily", now });
  const second = backUp({ file: damaged, folder: backupsFolder, kind: "daily", now });
  writeFileSync(join(backupsFolder, second.name), "Dear diary");
  expect(bringOver().base).toBe(first.name);
});

test("the damaged set and the backups are only read", () => {
  copyFileSync(whole, damaged);
  backUp({ file: damaged, folder: backupsFolder, kind: "daily", now });
  writeFileSync(`${damaged}-wal`, "not a journal");
  writeFileSync(`${damaged}-shm`, "nor this");
  wipe(damaged, 1, 7, 20);
  const all = () =>
    ["damaged", "backups"].flatMap((name) =>
      readdirSync(join(folder, name)).map((file) => [file, readFileSync(join(folder, name, file), "base64")]),
    );
  const before = all();
  bringOver();
  expect(all()).toEqual(before);
});

test("of a file that is none of ours nothing comes over, and the new database is whole all the same", () => {
  for (const nonsense of ["", "Dear diary, ".repeat(2_000), "\u0000".repeat(10_000)]) {
    writeFileSync(damaged, nonsense);
    expect(bringOver()).toEqual({ recovered: 0, total: 0 });
    expect(withStore(target, (store) => [store.check(), store.chats()])).toEqual([[], []]);
  }
});

test("ids of lost messages are not given out again", () => {
  copyFileSync(whole, damaged);
  const last = Math.max(...(contents(damaged).message as { id: number }[]).map(({ id }) => id));
  wipe(damaged, pagesOf(damaged, "message").at(-1) ?? 0);
  bringOver();
  withStore(target, (store) => {
    reconcile(store, now);
    store.accept({ id: "new", sessionId: "chat-0", channel: "test", text: "new", createdAt: now });
    store.beginTurn({ id: "new", sessionId: "chat-0", inboundId: "new", startedAt: now });
    const row = { sessionId: "chat-0", turnId: "new", role: "user", status: "complete", createdAt: now } as const;
    expect(store.append({ ...row, parts: [{ type: "text", text: "new" }] }).id).toBeGreaterThan(last);
  });
});

test("a branch whose beginning is lost is shown in one line with the rest: nothing is hidden for good", () => {
  copyFileSync(whole, damaged);
  tamper(damaged, "DELETE FROM turn WHERE session_id = 'chat-branch' AND parent_id IS NULL AND shown = 0");
  bringOver();
  withStore(target, (store) => {
    const shown = store.page("chat-branch", { limit: 50 }).filter(({ role }) => role === "user");
    expect(shown).toHaveLength(3);
    expect(store.check()).toEqual([]);
  });
});
