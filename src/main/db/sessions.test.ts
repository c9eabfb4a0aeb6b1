import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeEach, describe, expect, test } from "vitest";
import { aRow, storedTurn, temporaryFolder } from "../../../tests/support/stored-turn.ts";
import { createStore, type Store } from "./store.ts";

let store: Store;
beforeEach(() => {
  store = createStore(":memory:");
});

let count = 0;
const say = (text: string, sessionId = "s", createdAt = 1) =>
  store.accept({ id: `message ${count++}`, sessionId, channel: "test", text, createdAt });
const title = (id = "s") => store.chat(id)?.title;
const notFound = expect.objectContaining({ code: "not-found" });

describe("the title of a chat", () => {
  const cases: [what: string, text: string, expected: string][] = [
    ["a line", "How do tides work?", "How do tides work?"],
    ["the first of several lines", "One\nTwo", "One"],
    ["the first line with something on it", "\n \t\r\n\u200b\n  Third  \n", "Third"],
    ["a line with white space in it", "a\t b\u00a0 c", "a b c"],
    ["what would turn the text around", "\u202egnp.exe\u202c \u2066x\u2069", "gnp.exe x"],
    ["what cannot be seen", "a\u200bb\u200dc\ufeffd\u00ade\0f\x1b[31m", "abcdef[31m"],
    ["Chinese", "潮汐是怎么形成的？", "潮汐是怎么形成的？"],
    ["a path", "/etc/hosts", "/etc/hosts"],
    ["a goal", "/goal tidy the folder", "tidy the folder"],
    ["a word about a goal", "/goal pause", ""],
    ["a long line", "x".repeat(500), "x".repeat(120)],
    ["an emoji at the cut", `${"x".repeat(119)}👋`, "x".repeat(119)],
    ["megabytes without an end of line", "y".repeat(3_000_000), "y".repeat(120)],
    ["nothing", "\u200b", ""],
  ];
  test.each(cases)("is made of %s", (_, text, expected) => {
    say(text);
    expect(title()).toBe(expected);
    expect(store.openSession("s", 9).title).toBe(expected);
  });

  test("stays what the first message made it, and what a person called it", () => {
    say("first");
    say("second");
    expect(title()).toBe("first");
    store.renameChat("s", " My \u202echat\nof tides");
    say("third");
    expect(title()).toBe("My chat");
  });

  test("does not come from a slash command", () => {
    for (const command of ["/status", "／help", " /model small "]) say(command);
    expect(title()).toBe("");
    say("/model\nis no command here");
    expect(title()).toBe("/model");
  });

  test("that is missing is the first question that a turn took", () => {
    storedTurn(store); // says hello
    store.renameChat("s", "\u200b");
    expect(store.openSession("s", 9).title).toBe("");
    expect(title()).toBe("hello");
    expect(store.chats()).toMatchObject([{ title: "hello" }]);
  });
});

describe("the list", () => {
  test("has the chat changed last first", () => {
    say("a", "one", 10);
    say("b", "two", 30);
    say("c", "three", 20);
    expect(store.chats().map(({ id }) => id)).toEqual(["two", "three", "one"]);
    say("d", "one", 40);
    expect(store.chats()[0]).toEqual({
      id: "one",
      title: "a",
      createdAt: 10,
      updatedAt: 40,
      pinned: false,
      neverCloud: false,
    });
  });

  test("knows how the newest shown turn ended, as far as it has", () => {
    storedTurn(store);
    expect(store.chat("s")).not.toHaveProperty("lastStop");
    store.endTurn("t", { stopReason: "interrupted", endedAt: 9 });
    expect(store.chat("s")?.lastStop).toBe("interrupted");
    storedTurn(store, "u");
    expect(store.chat("s")).not.toHaveProperty("lastStop");
    store.endTurn("u", { stopReason: "completed", endedAt: 9 });
    expect(store.chats()[0]?.lastStop).toBe("completed");
  });

  test("keeps pins, names and models", () => {
    say("a");
    store.pinChat("s", true);
    store.setSessionModel("s", "small");
    expect(store.chats()).toMatchObject([{ pinned: true, model: "small" }]);
    store.pinChat("s", false);
    expect(store.chat("s")?.pinned).toBe(false);
  });
});

test("ten thousand chats are listed without a look at their messages", () => {
  const path = join(temporaryFolder(), "lares.db");
  store = createStore(path);
  storedTurn(store);
  const database = new Database(path);
  database.exec(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
    INSERT INTO session (id, title, created_at, updated_at) SELECT 'chat ' || i, 'Chat ' || i, i, i FROM n;
    ALTER TABLE message RENAME TO out_of_reach;
  `);
  expect(() => store.page("s", { limit: 1 })).toThrow();
  expect(store.chats()).toHaveLength(10_001);
  database.close();
  store.close();
});

describe("a deleted chat", () => {
  beforeEach(() => {
    storedTurn(store);
    store.append(aRow("needle 针"));
    store.endTurn("t", { stopReason: "completed", endedAt: 9 });
    say("waits");
    store.setDraft("s", "typed", 1);
    store.deleteChat("s", 100);
  });

  test("is in no list, no search and no queue", () => {
    expect(store.chats()).toEqual([]);
    expect(store.chat("s")).toBeUndefined();
    expect(store.sessionsWaiting()).toEqual([]);
    for (const query of ["needle", "eedl", "针"]) {
      expect(store.search(query, { limit: 9 })).toEqual([]);
      expect(store.search(query, { limit: 9, sessionId: "s" })).toEqual([]);
      expect(store.searchChats(query, 9)).toEqual([]);
    }
  });

  test("takes no message and no change", () => {
    expect(() => say("more")).toThrow("The chat s was deleted.");
    for (const change of [
      () => store.renameChat("s", "x"),
      () => store.pinChat("s", true),
      () => store.setSessionModel("s", "x"),
    ])
      expect(change).toThrow(notFound);
  });

  test("comes back as it was, and both can be said twice", () => {
    store.deleteChat("s", 200);
    store.restoreChat("s");
    store.restoreChat("s");
    expect(store.chat("s")).toMatchObject({ title: "hello", lastStop: "completed" });
    expect(store.search("needle", { limit: 9 })).toHaveLength(1);
    expect(store.sessionsWaiting()).toEqual(["s"]);
    expect(store.draft("s")).toBe("typed");
    expect(store.page("s", { limit: 9 })).toHaveLength(1);
  });

  test("still has its unfinished turn, so that a start can end it", () => {
    storedTurn(store, "running", "other");
    store.deleteChat("other", 100);
    expect(store.unfinishedTurns().map(({ id }) => id)).toEqual(["running"]);
  });

  test("that is not there is an error", () => {
    expect(() => store.deleteChat("none", 1)).toThrow(notFound);
    expect(() => store.restoreChat("none")).toThrow(notFound);
  });
});

describe("what was typed and not sent", () => {
  test("is kept by chat, also before the chat is there", () => {
    expect(store.draft("new")).toBe("");
    store.setDraft("new", "half a\0 thought\ud83d", 1);
    store.setDraft("other", "else", 1);
    expect(store.draft("new")).toBe("half a\0 thought\ufffd");
    expect(store.chats()).toEqual([]);
  });

  test("is what was typed last; nothing is nothing", () => {
    store.setDraft("s", "one", 1);
    store.setDraft("s", "two", 2);
    expect(store.draft("s")).toBe("two");
    store.setDraft("s", "", 3);
    store.setDraft("s", "", 4);
    expect(store.draft("s")).toBe("");
  });
});
