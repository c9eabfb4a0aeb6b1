import { join } from "node:path";
import Sqlite, { type Database } from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../tests/support/stored-turn.ts";
import { type Message, textOf } from "../../shared/message.ts";
import { hashOf } from "./message-row.ts";
import { migrate } from "./migrations.ts";
import { firstSchema } from "./schema.ts";
import { createStore, type Store } from "./store.ts";

let path: string;
beforeEach(() => {
  path = join(temporaryFolder(), "lares.db");
  const sqlite = new Sqlite(path);
  sqlite.pragma("page_size = 2048");
  sqlite.pragma("journal_mode = wal");
  migrate(sqlite, path, [firstSchema]);
  fillVersion1(sqlite);
  sqlite.close();
});

/** Two chats whose turns alternate, as the first version wrote them; the last turn still runs. */
function fillVersion1(sqlite: Database): void {
  for (const id of ["one", "two"]) sqlite.prepare("INSERT INTO session VALUES (?, '', NULL, 1, 2)").run(id);
  for (const number of [1, 2, 3, 4, 5]) {
    const sessionId = number % 2 === 1 ? "one" : "two";
    const turnId = `t${number}`;
    const text = `question ${number} 问题`;
    sqlite
      .prepare("INSERT INTO inbound (id, session_id, channel, text, state, created_at) VALUES (?, ?, 'test', ?, ?, 1)")
      .run(`m${number}`, sessionId, text, number === 5 ? "taken" : "saved");
    sqlite
      .prepare(
        `INSERT INTO turn (id, session_id, inbound_id, first_message, state, iteration, started_at, ended_at, stop_reason)
         VALUES (?, ?, ?, (SELECT coalesce(max(id), 0) + 1 FROM message), ?, 1, 2, ?, ?)`,
      )
      .run(
        turnId,
        sessionId,
        `m${number}`,
        number === 5 ? "run" : "done",
        number === 5 ? null : 9,
        number === 5 ? null : "completed",
      );
    sqlite.prepare("INSERT INTO trace VALUES (?, 1, 'restore', 'ok', 1, 0.5, NULL, NULL)").run(turnId);
    rowVersion1(sqlite, { sessionId, turnId, role: "user", text });
    if (number < 5) rowVersion1(sqlite, { sessionId, turnId, role: "assistant", text: `answer ${number} 回答` });
  }
  const waiting =
    "INSERT INTO inbound (id, session_id, channel, text, state, created_at) VALUES (?, 'one', 't', 'x', ?, 1)";
  for (const state of ["accepted", "draft"]) sqlite.prepare(waiting).run(`m ${state}`, state);
}

type Written = Pick<Message, "sessionId" | "turnId" | "role"> & { readonly text: string };

function rowVersion1(sqlite: Database, { text, ...of }: Written): void {
  const parts = JSON.stringify([{ type: "text", text }]);
  const fixed = {
    kind: "chat",
    origin: "model",
    status: "complete",
    createdAt: 3,
    finishedAt: null,
    usage: null,
  } as const;
  const { lastInsertRowid } = sqlite
    .prepare(
      `INSERT INTO message (session_id, turn_id, role, kind, origin, status, created_at, hash, parts, text)
       VALUES (@sessionId, @turnId, @role, 'chat', 'model', 'complete', 3, @hash, @parts, @text)`,
    )
    .run({ ...of, text, parts, hash: hashOf({ ...of, ...fixed, parts }) });
  for (const index of ["message_word", "message_trigram"])
    sqlite.prepare(`INSERT INTO ${index} (rowid, text) VALUES (?, ?)`).run(lastInsertRowid, text);
}

function opened<T>(work: (store: Store) => T): T {
  const store = createStore(path);
  try {
    return work(store);
  } finally {
    store.close();
  }
}

test("a file of the first version reads the same, is found by search, and is sound", () => {
  opened((store) => {
    expect(store.check()).toEqual([]);
    expect(store.page("one", { limit: 99 }).map(({ parts }) => textOf(parts))).toEqual([
      "question 1 问题",
      "answer 1 回答",
      "question 3 问题",
      "answer 3 回答",
      "question 5 问题",
    ]);
    for (const query of ["answer 3", "nswe 3", "回答 3"]) expect(store.searchChats(query, 9)).toHaveLength(1);
    expect(store.waiting("one").map(({ state }) => state)).toEqual(["accepted", "draft"]);
    expect(store.unfinishedTurns().map(({ id }) => id)).toEqual(["t5"]);
  });
});

test("its turns are one line each, and its chats are called by their first question", () => {
  opened((store) => {
    const line = (chatId: string) => store.turnViews(chatId, { limit: 9 }).map(({ turn }) => turn.id);
    expect([line("one"), line("two")]).toEqual([
      ["t1", "t3", "t5"],
      ["t2", "t4"],
    ]);
    expect(store.turnViews("one", { limit: 9 }).map(({ rows }) => rows.length)).toEqual([2, 2, 1]);
    expect(store.turnView("t3")).toMatchObject({ variants: ["t3"], requests: [], trace: [{ state: "restore" }] });
    expect(store.chats().map(({ title, pinned }) => [title, pinned])).toEqual([
      ["question 1 问题", false],
      ["question 2 问题", false],
    ]);
  });
});

test("it can be branched, deleted and purged", () => {
  opened((store) => {
    store.endTurn("t5", { stopReason: "interrupted", endedAt: 9 });
    store.accept({ id: "again", sessionId: "one", channel: "test", text: "x", createdAt: 5, replaces: "t3" });
    store.draftWaiting("one");
    store.sendDraft("again");
    store.beginTurn({ id: "branch", sessionId: "one", inboundId: "again", startedAt: 6 });
    expect(store.turnView("branch")?.variants).toEqual(["t3", "branch"]);
    store.deleteChat("two", 10);
    for (let ids = store.purgeChats(11); ids.length > 0; ) ids = store.purgeChats(11);
    expect(store.search("answer", { limit: 9 })).toHaveLength(2);
    expect(store.check()).toEqual([]);
  });
});

test("a second opening changes nothing more", () => {
  opened((store) => store.renameChat("one", "Mine"));
  opened((store) => expect(store.chat("one")?.title).toBe("Mine"));
});
