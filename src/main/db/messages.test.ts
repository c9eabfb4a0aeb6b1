import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { aRow, storedTurn, temporaryFolder } from "../../../tests/support/stored-turn.ts";
import type { Part } from "../../shared/message.ts";
import { openDatabase } from "./open.ts";
import { createStore, type Store, storeOn } from "./store.ts";

let store: Store;
beforeEach(() => {
  store = createStore(":memory:");
  storedTurn(store);
});

const usage = { inputTokens: 9, reusedTokens: 3, outputTokens: 2, firstTokenMs: 80.5, decodeMs: 12.25 };
const refused = expect.objectContaining({ code: "bad-request" });
const notFound = expect.objectContaining({ code: "not-found" });
const streaming = () => store.append(aRow("", { role: "assistant", status: "streaming", parts: [] })).id;
const read = (id: number) => store.page("s", { before: id + 1, limit: 1 })[0];

describe("a row", () => {
  test("comes back as it was written, with what was not said filled in", () => {
    const row = store.append(aRow("hello"));
    expect(row).toEqual({ ...aRow("hello"), id: row.id, kind: "chat", origin: "model" });
    expect(store.turnMessages("t")).toEqual([row]);
    const note = store.append(aRow("a note", { kind: "note", origin: "named", status: "hidden" }));
    expect(store.turnMessages("t")[1]).toEqual(note);
    expect(note).toMatchObject({ kind: "note", origin: "named", status: "hidden" });
  });

  const texts = {
    "5 MB": "0123456789 abcdefghijk 好\n".repeat(200_000),
    NUL: "before\0after",
    "emoji families": "👨‍👩‍👧‍👦🏳️‍🌈👍🏽🇨🇭",
    "right to left": "\u202eשלום עולם\u202c مرحبا",
    "combining marks": "e\u0301 é Z\u0351\u036b\u0343",
    "all line ends": "a\r\nb\rc\nd\u2028e\u0085",
    quotes: "'; DROP TABLE message; -- \" \\ \\u0000 %s",
    "a byte order mark": "\ufefftext",
    nothing: "",
  };
  test.each(Object.entries(texts))("keeps %s byte for byte", (_, text) => {
    const { id } = store.append(aRow(text, { status: "pending" }));
    expect(read(id)?.parts).toEqual([{ type: "text", text }]);
    store.finish(id, { parts: [{ type: "text", text }], status: "complete", finishedAt: 4 });
    expect(read(id)?.parts).toEqual([{ type: "text", text }]);
    expect(store.check()).toEqual([]);
  });

  test("with half an emoji is stored all the same", () => {
    const { id } = store.append(aRow("half \ud83d and \udc00 half"));
    expect(read(id)?.parts).toEqual([{ type: "text", text: "half \ud83d and \udc00 half" }]);
    expect(store.check()).toEqual([]);
  });

  test("keeps every kind of part", () => {
    const parts: Part[] = [
      { type: "reasoning", text: "hm", raw: { signature: [1, null] } },
      { type: "context", text: "today" },
      { type: "tool-call", id: "c", name: "read_file", input: { path: "a", deep: [{ x: 1 }] }, raw: "<call>" },
      { type: "tool-result", callId: "c", name: "read_file", text: "Error: no", failed: false },
      { type: "error", error: { code: "timeout", message: "No answer.", retryable: true } },
    ];
    const { id } = store.append(aRow("", { role: "assistant", parts }));
    expect(read(id)?.parts).toEqual(parts);
  });

  test("needs a turn of its session", () => {
    storedTurn(store, "u", "other");
    expect(() => store.append(aRow("lost", { turnId: "none" }))).toThrow(notFound);
    expect(() => store.append(aRow("lost", { turnId: "u" }))).toThrow("There is no turn u in the chat s.");
  });
});

describe("a streaming row", () => {
  test("reads back as what has come so far, neighbours of one kind as one part", () => {
    const id = streaming();
    store.appendChunk(id, "reasoning", "let me ");
    store.appendChunk(id, "reasoning", "think");
    store.appendChunk(id, "text", "Hel");
    store.appendChunk(id, "text", "lo");
    store.appendChunk(id, "reasoning", "more");
    const parts = [
      { type: "reasoning", text: "let me think" },
      { type: "text", text: "Hello" },
      { type: "reasoning", text: "more" },
    ];
    expect(read(id)).toMatchObject({ status: "streaming", parts });
    expect(store.turnMessages("t")[0]?.parts).toEqual(parts);
  });

  test("goes on from the parts it began with", () => {
    const { id } = store.append(aRow("Hel", { role: "assistant", status: "streaming" }));
    store.appendChunk(id, "text", "lo");
    expect(read(id)?.parts).toEqual([{ type: "text", text: "Hello" }]);
  });

  test("joins an emoji that was cut in two", () => {
    const id = streaming();
    for (const half of ["👋".slice(0, 1), "👋".slice(1)]) store.appendChunk(id, "text", half);
    expect(read(id)?.parts).toEqual([{ type: "text", text: "👋" }]);
  });

  test("is closed with its last parts, and its pieces are gone", () => {
    const id = streaming();
    store.appendChunk(id, "text", "Hel");
    const end = { parts: [{ type: "text", text: "Hello" }], status: "complete", usage, finishedAt: 9 } as const;
    const closed = store.finish(id, { ...end, parts: [...end.parts] });
    expect(closed).toMatchObject({ ...end, createdAt: 3 });
    expect(read(id)).toEqual(closed);
    expect(store.check()).toEqual([]);
  });

  test("is the only one that takes pieces", () => {
    const { id } = store.append(aRow("asked", { status: "pending" }));
    expect(() => store.appendChunk(id, "text", "no")).toThrow(refused);
    expect(() => store.appendChunk(99, "text", "no")).toThrow(notFound);
    const answer = streaming();
    store.finish(answer, { parts: [], status: "incomplete", finishedAt: 9 });
    expect(() => store.appendChunk(answer, "text", "no")).toThrow("is not streaming (incomplete)");
    expect(read(answer)?.parts).toEqual([]);
  });
});

describe("a closed row", () => {
  const end = { parts: [], status: "complete", finishedAt: 9 } as const;

  test("is closed once", () => {
    const { id } = store.append(aRow("asked", { status: "pending" }));
    store.finish(id, end);
    expect(() => store.finish(id, { ...end, status: "hidden" })).toThrow(`Message ${id} is closed already (complete)`);
    expect(() => store.finish(id, end)).toThrow(refused);
    expect(() => store.finish(99, end)).toThrow(notFound);
    expect(read(id)?.status).toBe("complete");
  });

  test.each(["complete", "incomplete", "hidden"] as const)(
    "that is %s cannot be changed or deleted, by no SQL",
    (status) => {
      const path = join(temporaryFolder(), "lares.db");
      const filled = createStore(path);
      storedTurn(filled);
      const { id } = filled.append(aRow("said", { status }));
      filled.close();
      const connection = openDatabase(path);
      const before = connection.statement("SELECT * FROM message").all();
      const attacks = [
        `UPDATE message SET parts = '[]' WHERE id = ${id}`,
        `UPDATE message SET status = 'pending' WHERE id = ${id}`,
        `UPDATE message SET id = id + 1 WHERE id = ${id}`,
        `DELETE FROM message WHERE id = ${id}`,
        `REPLACE INTO message SELECT id, session_id, turn_id, role, kind, origin, 'pending', created_at, finished_at,
         usage, hash, '[]', text FROM message WHERE id = ${id}`,
      ];
      for (const sql of attacks)
        expect(() => connection.atomically(() => connection.statement(sql).run())).toThrow(refused);
      expect(connection.statement("SELECT * FROM message").all()).toEqual(before);
      connection.close();
    },
  );
});

describe("a page", () => {
  beforeEach(() => {
    storedTurn(store, "u", "other");
    for (let number = 1; number <= 6; number++) {
      store.append(aRow(`${number}`, { createdAt: 100 - number })); // the clock runs backwards
      store.append(aRow("else", { sessionId: "other", turnId: "u" }));
    }
  });
  const texts = (options: { before?: number; limit: number }) =>
    store.page("s", options).map(({ parts }) => (parts[0]?.type === "text" ? parts[0].text : ""));

  test("is the newest rows of its session, oldest first", () => {
    expect(texts({ limit: 4 })).toEqual(["3", "4", "5", "6"]);
    expect(texts({ limit: 99 })).toEqual(["1", "2", "3", "4", "5", "6"]);
    expect(store.page("none", { limit: 9 })).toEqual([]);
  });

  test("goes on before the one after it", () => {
    const [first] = store.page("s", { limit: 4 });
    expect(texts({ limit: 4, before: first?.id ?? 0 })).toEqual(["1", "2"]);
  });
});

test("a turn's rows are its own, in order, also when another turn wrote between them", () => {
  storedTurn(store, "u");
  const rows = [store.append(aRow("one"))];
  store.append(aRow("else", { turnId: "u" }));
  rows.push(store.append(aRow("two")));
  store.endTurn("t", { stopReason: "completed", endedAt: 9 });
  rows.push(store.append(aRow("late")));
  expect(store.turnMessages("t")).toEqual(rows);
});

test("whatever is read of a chat is read through an index, however long the chat is", () => {
  const connection = openDatabase(":memory:");
  const asked = new Set<string>();
  const statement = (sql: string) => {
    asked.add(sql);
    return connection.statement(sql);
  };
  const observed = storeOn({ ...connection, statement });
  storedTurn(observed);
  observed.append(aRow("one"));
  observed.endTurn("t", { stopReason: "completed", endedAt: 9 });
  observed.accept({ id: "again", sessionId: "s", channel: "test", text: "x", createdAt: 1, replaces: "t" });
  observed.beginTurn({ id: "u", sessionId: "s", inboundId: "again", startedAt: 1 });
  observed.page("s", { limit: 9 });
  observed.turnMessages("t");
  observed.turnViews("s", { limit: 9 });
  observed.nextAccepted("s");
  observed.waiting("s");
  observed.lastTurn("s");
  const questions = [...asked].filter((sql) => /^(SELECT|WITH|UPDATE)/.test(sql));
  const plans = questions.flatMap((sql) => {
    const given = sql.replace(/\?|@\w+/g, "'1'");
    const steps = connection.statement(`EXPLAIN QUERY PLAN ${given}`).all() as { detail: string }[];
    return steps.map(({ detail }) => ({ sql, detail }));
  });
  const tables = /^SCAN (session|inbound|turn|trace|message|message_chunk|tool_call|request)\b/;
  expect(plans.length).toBeGreaterThan(20);
  expect(plans.filter(({ detail }) => tables.test(detail))).toEqual([]);
  const sorted = plans.filter(({ detail, sql }) => detail.includes("TEMP B-TREE") && sql.includes(" LIMIT "));
  expect(sorted).toEqual([]);
  connection.close();
});
