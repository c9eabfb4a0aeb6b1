import { randomBytes } from "node:crypto";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { beforeEach, describe, expect, test } from "vitest";
import { aRow, storedTurn, tableProblems, temporaryFolder } from "../../../tests/support/stored-turn.ts";
import { openDatabase } from "./open.ts";
import { createStore, type Store, storeOn } from "./store.ts";

let path: string;
let store: Store;
beforeEach(() => {
  path = join(temporaryFolder(), "lares.db");
  store = createStore(path);
});

/** A turn with something in every table. */
function fullTurn(id: string, sessionId: string): void {
  storedTurn(store, id, sessionId);
  const of = { turnId: id, sessionId };
  store.append(aRow(`question ${id} 问题`, of));
  const { id: messageId } = store.append(aRow("look", { ...of, role: "assistant" }));
  store.insertCall({ id: `call ${id}`, turnId: id, messageId, name: "look", class: "read", state: "finished" });
  const model = { name: "m", local: true, window: 8192 };
  store.insertRequest({ turnId: id, number: 1, startedAt: 1, model, messages: 2, tools: 1 });
  store.keepSent(id, 1, `{"of":"${id}"}`);
  store.advance({ turnId: id, state: "restore", outcome: "ok", startedAt: 1, ms: 1 }, "compact");
  store.endTurn(id, { stopReason: "completed", endedAt: 9 });
}

function fullChat(sessionId: string, turns: number): void {
  store.atomically(() => {
    for (let number = 0; number < turns; number++) fullTurn(`${sessionId}${number}`, sessionId);
    for (const id of ["waits", "draft"]) {
      store.accept({ id: `${id} in ${sessionId}`, sessionId, channel: "test", text: "later", createdAt: 1 });
      if (id === "waits") store.draftWaiting(sessionId);
    }
    store.setDraft(sessionId, "typed", 1);
  });
}

/** Returns the chats that each call worked on. */
function purgeAll(before: number): string[][] {
  const calls: string[][] = [];
  for (let ids = store.purgeChats(before); ids.length > 0; ids = store.purgeChats(before)) calls.push(ids);
  return calls;
}

const rowsOf = (sqlite: Sqlite.Database) =>
  Object.fromEntries(
    sqlite
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%\\_%' ESCAPE '\\'")
      .pluck()
      .all()
      .map((name) => [name, sqlite.prepare(`SELECT count(*) FROM ${name}`).pluck().get()]),
  );

function stored() {
  const sqlite = new Sqlite(path, { readonly: true });
  const tables = { ...rowsOf(sqlite), ...{ sent: sqlite.prepare("SELECT count(*) FROM request_sent").pluck().get() } };
  sqlite.close();
  return tables;
}

test("a purged chat leaves no row in any table, and another one all of its rows", () => {
  fullChat("kept", 3);
  const before = stored();
  fullChat("gone", 3);
  store.deleteChat("gone", 100);
  expect(new Set(purgeAll(101).flat())).toEqual(new Set(["gone"]));
  expect(stored()).toEqual(before);
  expect(store.search("question", { limit: 99 })).toHaveLength(3);
  expect(store.turnViews("kept", { limit: 9 })).toHaveLength(3);
  expect(store.sentRequest("kept1", 1)).toBe('{"of":"kept1"}');
  expect(tableProblems(store)).toEqual([]);
});

test("no word of it is left in the indexes, however large they are", () => {
  const connection = openDatabase(":memory:");
  store.close();
  store = storeOn(connection);
  fullTurn("t", "s");
  store.append(aRow("xyzzysecret", { status: "complete" }));
  fullTurn("u", "kept");
  const words = () => randomBytes(3_000).toString("base64").replaceAll("+", " ");
  for (let number = 0; number < 60; number++) store.append(aRow(words(), { sessionId: "kept", turnId: "u" }));
  const secrets = connection
    .statement("SELECT count(*) FROM message_word_data WHERE instr(block, CAST('ysecret' AS BLOB)) > 0")
    .pluck();
  expect(secrets.get()).toBeGreaterThan(0);
  store.deleteChat("s", 100);
  expect(purgeAll(101).length).toBeGreaterThan(2); // one for the turn, one or more for the indexes, one for the rest
  expect(secrets.get()).toBe(0);
  expect(tableProblems(store)).toEqual([]);
});

describe("what is purged", () => {
  test("is what was deleted before that time, and not what was restored", () => {
    for (const [id, time] of Object.entries({ early: 100, late: 200, restored: 50 })) {
      fullChat(id, 1);
      store.deleteChat(id, time);
    }
    store.restoreChat("restored");
    fullChat("never deleted", 1);
    expect(purgeAll(100)).toEqual([]);
    expect(new Set(purgeAll(200).flat())).toEqual(new Set(["early"]));
    expect(
      store
        .chats()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(["never deleted", "restored"]);
    store.restoreChat("late");
    expect(store.turnViews("late", { limit: 9 })).toHaveLength(1);
  });

  test("is no chat with a turn that still runs, until it has ended", () => {
    storedTurn(store, "t", "busy");
    store.deleteChat("busy", 100);
    expect(purgeAll(101)).toEqual([]);
    store.append(aRow("still there", { sessionId: "busy" }));
    store.endTurn("t", { stopReason: "aborted", endedAt: 105 });
    expect(purgeAll(101)).not.toEqual([]);
    expect(store.turn("t")).toBeUndefined();
    expect(tableProblems(store)).toEqual([]);
  });

  test("goes in pieces, the newest turns first, and what is left between them is sound", () => {
    fullChat("long", 80);
    fullChat("short", 2);
    store.deleteChat("long", 100);
    store.deleteChat("short", 101);
    expect(store.purgeChats(200)).toEqual(["long"]);
    expect(tableProblems(store)).toEqual([]);
    expect(store.turn("long0")).toBeDefined();
    expect(store.turn("long79")).toBeUndefined();
    expect(() => store.restoreChat("long")).toThrow(expect.objectContaining({ code: "not-found" }));
    store.close();
    store = createStore(path);
    const rest = purgeAll(200).flat();
    expect([...new Set(rest)]).toEqual(["long", "short"]);
    expect(rest.length).toBeGreaterThan(4);
    expect(store.chats()).toEqual([]);
    expect(tableProblems(store)).toEqual([]);
  });

  test("may have branches, hidden rows and a row that was never finished", () => {
    fullChat("s", 2);
    store.draftWaiting("s");
    store.accept({ id: "again", sessionId: "s", channel: "test", text: "x", createdAt: 1, replaces: "s0" });
    store.beginTurn({ id: "again", sessionId: "s", inboundId: "again", startedAt: 1 });
    store.append(aRow("hidden", { turnId: "again", status: "hidden" }));
    const { id } = store.append(aRow("", { turnId: "again", role: "assistant", status: "streaming", parts: [] }));
    store.appendChunk(id, "text", "half a");
    store.endTurn("again", { stopReason: "error", endedAt: 1 });
    store.deleteChat("s", 100);
    purgeAll(101);
    const left = Object.entries(stored()).filter(([, count]) => count !== 0);
    expect(left).toEqual([["counter", 2]]);
    expect(tableProblems(store)).toEqual([]);
  });
});

test("ids never come back: a turn that began before a purge keeps its rows, and new rows get new ids", () => {
  fullTurn("before", "kept");
  storedTurn(store, "running", "kept");
  fullChat("gone", 3);
  const newest = store.page("gone", { limit: 1 })[0]?.id ?? 0;
  store.deleteChat("gone", 100);
  purgeAll(101);
  storedTurn(store, "later", "kept");
  const row = store.append(aRow("late", { turnId: "later", sessionId: "kept" }));
  expect(row.id).toBe(newest + 1);
  expect(store.turnMessages("later")).toEqual([row]);
  const other = store.append(aRow("later still", { turnId: "running", sessionId: "kept" }));
  expect(store.turnMessages("running")).toEqual([other]);
  expect(tableProblems(store)).toEqual([]);
});

test("a row of a chat that is not deleted cannot be deleted, whatever else is", () => {
  fullTurn("t", "s");
  fullTurn("u", "gone");
  store.deleteChat("gone", 100);
  const connection = openDatabase(path);
  const remove = (turnId: string) => () =>
    connection.atomicallyUnreferenced(() => connection.statement("DELETE FROM message WHERE turn_id = ?").run(turnId));
  expect(remove("t")).toThrow("a closed message is only deleted with its chat");
  expect(remove("u")).not.toThrow();
  connection.close();
});

test("what points to nothing is refused again after a purge", () => {
  fullTurn("t", "s");
  store.deleteChat("s", 100);
  purgeAll(101);
  const call = { id: "c", turnId: "none", messageId: 1, name: "look", class: "read", state: "requested" } as const;
  expect(() => store.insertCall(call)).toThrow(expect.objectContaining({ code: "bad-request" }));
});

test("a purge inside another transaction is undone with it", () => {
  fullTurn("t", "s");
  store.deleteChat("s", 100);
  const undone = () => {
    store.purgeChats(101);
    throw new Error("undo");
  };
  expect(() => store.atomically(undone)).toThrow("undo");
  store.restoreChat("s");
  expect(store.turnMessages("t")).toHaveLength(2);
  expect(tableProblems(store)).toEqual([]);
});
