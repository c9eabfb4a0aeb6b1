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
    for (let number = 0; number < 200; number++) {
      store.append(aRow(`message ${number} about elephants`, { role: "assistant" }));
    }
    store.append(aRow("hello"));
    withCalls(store, "read_file", "send_mail");
  });
  const model = { name: "m", local: true, window: 8192 };
  const sent = JSON.stringify(Array.from({ length: 100 }, (_, number) => `row ${number}`));
  store.insertRequest({ turnId: "t", number: 1, startedAt: 1, model, messages: 2, tools: 1 });
  store.keepSent("t", 1, sent);
  storedTurn(store, "u");
  store.append(aRow("hello", { turnId: "u", status: "pending" }));
  store.setPhase("u", "awaiting_model", 1);
  store.endTurn("t", { stopReason: "completed", endedAt: 9 });
  store.accept({ id: "joined", sessionId: "s", channel: "test", text: "also", createdAt: 3 });
  store.injectInbound("joined", "u");
  store.append(aRow("also", { turnId: "u" }));
  const { id } = store.append(aRow("", { turnId: "u", role: "assistant", status: "streaming", parts: [] }));
  for (const text of ["one ", "two ", "three"]) store.appendChunk(id, "text", text);
  store.accept({ id: "waiting", sessionId: "s", channel: "test", text: "and then", createdAt: 4 });
  store.close();
});

/** Calls of the turn `t` that finished, each with its result. */
function withCalls(store: Store, ...names: string[]): void {
  const parts = names.map((name) => ({ type: "tool-call", id: name, name, input: {} }) as const);
  const { id: messageId } = store.append(aRow("", { role: "assistant", parts }));
  for (const name of names) {
    store.insertCall({ id: name, turnId: "t", messageId, name, class: "read", state: "running", startedAt: 5 });
    store.setCall("t", name, { state: "finished", endedAt: 6 });
    const result = { type: "tool-result", callId: name, name, text: "done", failed: false } as const;
    store.append(aRow("", { role: "tool", parts: [result] }));
  }
}

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
    expect(rows).toHaveLength(207);
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
  "a turn that is over and has an open row": [
    (sqlite) =>
      sqlite.exec(
        "UPDATE turn SET state = 'done', stop_reason = 'error', ended_at = 9, last_message = 999 WHERE id = 'u'",
      ),
    "turn",
  ],
  "a turn that is half over": [(sqlite) => sqlite.exec("UPDATE turn SET ended_at = 9 WHERE id = 'u'"), "turn"],
  "a message that lost its turn": [
    (sqlite) => sqlite.exec("UPDATE turn SET inbound_id = 'waiting' WHERE id = 'u'"),
    "inbound",
  ],
  "a message that waits, and has its turn too": [
    (sqlite) => sqlite.exec("UPDATE inbound SET state = 'accepted' WHERE id = 'inbound of u'"),
    "inbound",
  ],
  "a message that a turn took in and has no row of": [
    (sqlite) => sqlite.exec("DROP TRIGGER message_closed_delete; DELETE FROM message WHERE text = 'also'"),
    "inbound",
  ],
  "a message that is there twice": [
    (sqlite) => sqlite.exec("UPDATE inbound SET turn_id = NULL, state = 'draft' WHERE id = 'joined'"),
    "inbound",
  ],
  "a message that is not saved in a turn that is over": [
    (sqlite) => sqlite.exec("UPDATE inbound SET state = 'taken' WHERE id = 'inbound of t'"),
    "inbound",
  ],
  "a call that finished without a result": [
    (sqlite) =>
      sqlite.exec("DROP TRIGGER message_closed_delete; DELETE FROM message WHERE role = 'tool' AND id % 2 = 0"),
    "call",
  ],
  "a call with two results": [
    (sqlite) =>
      sqlite.exec(`INSERT INTO message SELECT id + 100, session_id, 't', role, kind, origin, status, created_at,
        finished_at, usage, hash, parts, text FROM message WHERE role = 'tool' LIMIT 1`),
    "call",
  ],
  "a call that runs in a turn that is over": [
    (sqlite) => sqlite.exec("UPDATE tool_call SET state = 'running' WHERE id = 'send_mail'"),
    "call",
  ],
  "a call that finished and never started": [
    (sqlite) => sqlite.exec("UPDATE tool_call SET started_at = NULL WHERE id = 'send_mail'"),
    "call",
  ],
  "a call of another turn's message": [
    (sqlite) => sqlite.exec("UPDATE tool_call SET turn_id = 'u' WHERE id = 'send_mail'"),
    "call",
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

test("an interrupted turn may have open rows and calls until it is decided, and not after", () => {
  withStore((store) => {
    store.setPhase("u", "awaiting_tools", 1);
    const parts = [{ type: "tool-call", id: "c", name: "send_mail", input: {} }] as const;
    const { id: messageId } = store.append(aRow("", { turnId: "u", role: "assistant", parts }));
    const call = { id: "c", turnId: "u", messageId, name: "send_mail", class: "once" } as const;
    store.insertCall({ ...call, state: "running", startedAt: 5 });
    expect(store.check()).toEqual([]);
    store.setCall("u", "c", { state: "unknown", endedAt: 7 });
    const end = { stopReason: "interrupted", endedAt: 8, crashPlace: "run" } as const;
    store.endTurn("u", { ...end, recovery: "unknown" });
    expect(store.check()).toEqual([]);
    store.setRecovery("u", undefined);
    expect(store.check().map(({ code }) => code)).toEqual(["turn", "turn", "call"]);
  });
});

test("what an older Lares left of an interrupted turn is not called damage", () => {
  tamper((sqlite) =>
    sqlite.exec(
      "UPDATE turn SET stop_reason = 'interrupted' WHERE id = 't'; DROP TRIGGER message_closed_delete; DELETE FROM message WHERE role = 'tool'",
    ),
  );
  expect(codes()).toEqual([]);
});

test("what is wrong is told without a word of what was said", () => {
  tamper((sqlite) =>
    sqlite.exec(
      "UPDATE turn SET parent_id = 'none', ended_at = 9; DELETE FROM inbound; UPDATE tool_call SET state = 'running'",
    ),
  );
  const said = withStore((store) =>
    store
      .check()
      .map(({ text }) => text)
      .join("\n"),
  );
  expect(said).toMatch(/Turn u .*\n/);
  expect(said).not.toMatch(/elephants|hello|also|and then/);
});

test("a page that was wiped out is found, and each part of the check goes on after it", () => {
  const bytes = readFileSync(path);
  bytes.fill(0, 2_048 * 30, 2_048 * 31);
  writeFileSync(path, bytes);
  expect(codes()).toContain("structure");
});
