import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite, { type Database } from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import { aRow, storedTurn, temporaryFolder } from "../../../tests/support/stored-turn.ts";
import { createStore, type Store } from "./store.ts";

let path: string;
beforeEach(() => {
  path = join(temporaryFolder(), "lares.db");
  const store = createStore(path);
  storedTurn(store);
  store.atomically(() => {
    for (let number = 0; number < 200; number++) store.append(aRow(`message ${number} about elephants`));
  });
  const { id } = store.append(aRow("", { role: "assistant", status: "streaming", parts: [] }));
  for (const text of ["one ", "two ", "three"]) store.appendChunk(id, "text", text);
  const model = { name: "m", local: true, window: 8192 };
  const sent = JSON.stringify(Array.from({ length: 100 }, (_, number) => `row ${number}`));
  store.insertRequest({ turnId: "t", number: 1, startedAt: 1, model, messages: 2, tools: 1 });
  store.keepSent("t", 1, sent);
  store.endTurn("t", { stopReason: "completed", endedAt: 9 });
  storedTurn(store, "u");
  store.close();
});

const withStore = <T>(work: (store: Store) => T): T => {
  const store = createStore(path);
  try {
    return work(store);
  } finally {
    store.close();
  }
};
const codes = () => withStore((store) => [...new Set(store.check().map(({ code }) => code))]);

/** Changes the file behind the store's back. */
function tamper(work: (sqlite: Database) => void): void {
  const sqlite = new Sqlite(path);
  sqlite.pragma("foreign_keys = 0");
  work(sqlite);
  sqlite.close();
}

test("nothing is wrong with what was only written", () => {
  expect(codes()).toEqual([]);
});

test("one flipped bit in a message is found, where SQLite itself sees nothing", () => {
  const bytes = readFileSync(path);
  const place = bytes.indexOf('"message 150 about') + 1; // in the parts of the row
  bytes[place] = (bytes[place] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  const problems = withStore((store) => store.check());
  expect(problems).toContainEqual({ code: "message", text: "Message 151 is not what was written." });
  expect(problems.map(({ code }) => code)).not.toContain("structure");
});

test("a row that does not even parse is shown as damaged beside the others, and is still found", () => {
  const bytes = readFileSync(path);
  const place = bytes.lastIndexOf('[{"type":"text","text":"message 150 about');
  bytes.write("(", place);
  writeFileSync(path, bytes);
  withStore((store) => {
    const rows = store.page("s", { limit: 300 });
    expect(rows).toHaveLength(201);
    expect(rows[150]?.parts).toMatchObject([{ type: "error", error: { code: "data-damaged" } }]);
    expect(rows[149]?.parts).toMatchObject([{ type: "text" }]);
    expect(store.search("150 elephants", { limit: 5 })).toHaveLength(1);
    expect(store.check().map(({ code }) => code)).toContain("message");
  });
});

test("one flipped bit in what search sees of a message is found", () => {
  const bytes = readFileSync(path);
  const place = bytes.indexOf("}]message 150 about") + 2;
  bytes[place] = (bytes[place] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  const problems = withStore((store) => store.check());
  expect(problems).toContainEqual({ code: "message", text: "Message 151 is searched by other words." });
  expect(problems.map(({ code }) => code)).toContain("search");
});

const damages: Record<string, [work: (sqlite: Database) => void, code: string]> = {
  "a row whose status was changed": [
    (sqlite) =>
      sqlite.exec("DROP TRIGGER message_closed_update; UPDATE message SET status = 'incomplete' WHERE id = 7"),
    "message",
  ],
  "a piece that is missing": [(sqlite) => sqlite.exec("DELETE FROM message_chunk WHERE position = 2"), "chunk"],
  "pieces of a row that is closed": [(sqlite) => sqlite.exec("UPDATE message_chunk SET message_id = 5"), "chunk"],
  "pieces of no row": [(sqlite) => sqlite.exec("UPDATE message_chunk SET message_id = 5000"), "reference"],
  "a message of no turn": [(sqlite) => sqlite.exec("DELETE FROM turn"), "reference"],
  "a word that left the index": [
    (sqlite) =>
      sqlite.exec(
        "INSERT INTO message_word (message_word, rowid, text) VALUES ('delete', 9, 'message 8 about elephants')",
      ),
    "search",
  ],
  "a text that never reached the index of parts": [
    (sqlite) =>
      sqlite.exec(
        "INSERT INTO message_trigram (message_trigram, rowid, text) VALUES ('delete', 9, 'message 8 about elephants')",
      ),
    "search",
  ],
  "a turn that follows none before it": [(sqlite) => sqlite.exec("UPDATE turn SET parent_id = 'none'"), "turn"],
  "a turn that is shown after a hidden one": [
    (sqlite) => sqlite.exec("UPDATE turn SET shown = 0 WHERE id = 't'"),
    "turn",
  ],
  "two turns shown at one place": [(sqlite) => sqlite.exec("UPDATE turn SET parent_id = NULL"), "turn"],
  "rows that their turn would not find": [
    (sqlite) => sqlite.exec("UPDATE turn SET last_message = 7 WHERE id = 't'"),
    "turn",
  ],
  "something sent that is cut short": [
    (sqlite) => sqlite.exec("UPDATE request_sent SET body = substr(body, 1, 40)"),
    "request",
  ],
  "a size of what was sent that is not right": [(sqlite) => sqlite.exec("UPDATE counter SET value = 1"), "request"],
  "an index that lost its data": [
    (sqlite) => sqlite.unsafeMode().exec("DELETE FROM message_word_data WHERE id > 10"),
    "search",
  ],
};
test.each(Object.entries(damages))("%s is found", (_, [work, code]) => {
  tamper(work);
  expect(codes()).toContain(code);
});

test("a page that was wiped out is found, and each part of the check goes on after it", () => {
  const bytes = readFileSync(path);
  bytes.fill(0, 2_048 * 30, 2_048 * 31);
  writeFileSync(path, bytes);
  expect(codes()).toContain("structure");
});
