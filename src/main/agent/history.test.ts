import { expect, test } from "vitest";
import { createStore } from "../db/store.ts";
import { pickHistory } from "./history.ts";
import { createRowCache } from "./row-cache.ts";

/** A session with so many turns of a question and an answer; a character is a token. */
function aSession(turns: number, { commandAt = -1 } = {}) {
  const store = createStore(":memory:");
  store.openSession("s", 1);
  for (let n = 0; n < turns; n++) {
    store.accept({ id: `m${n}`, sessionId: "s", channel: "test", text: "q", createdAt: n });
    store.beginTurn({ id: `t${n}`, sessionId: "s", inboundId: `m${n}`, startedAt: n });
    addTurn(store, n, n === commandAt ? "command" : "chat");
  }
  return store;
}

function addTurn(store: ReturnType<typeof createStore>, n: number, kind: "chat" | "command"): void {
  const row = { sessionId: "s", turnId: `t${n}`, kind, status: "complete", createdAt: n } as const;
  store.append({ ...row, role: "user", parts: [{ type: "text", text: `question ${n}`.padEnd(20, ".") }] });
  store.append({ ...row, role: "assistant", parts: [{ type: "text", text: `answer ${n}`.padEnd(20, ".") }] });
}

const count = async (texts: readonly string[]) => texts.map((text) => text.length);
const pick = (store: ReturnType<typeof createStore>, budget: number, before = Number.MAX_SAFE_INTEGER) =>
  pickHistory({ rows: createRowCache(store), sessionId: "s", before, budget, count });

test("what fits is there, whole and oldest first", async () => {
  const rows = await pick(aSession(100), 1_000_000);
  expect(rows).toHaveLength(200);
  expect(rows.map(({ id }) => id)).toEqual(rows.map(({ id }) => id).sort((one, other) => one - other));
});

test("what does not fit goes from the oldest on, and a question stands first", async () => {
  const rows = await pick(aSession(100), 1000);
  expect(rows.length).toBeLessThanOrEqual(35); // 28 tokens a row
  expect(rows.length).toBeGreaterThan(28);
  expect(rows[0]?.role).toBe("user");
  expect(rows.at(-1)?.id).toBe(200);
});

test("the start stays while the chat goes on, and moves only now and then", async () => {
  const store = aSession(60);
  const starts: number[] = [];
  for (let n = 60; n < 90; n++) {
    starts.push((await pick(store, 1000))[0]?.id ?? 0);
    store.accept({ id: `m${n}`, sessionId: "s", channel: "test", text: "q", createdAt: n });
    store.beginTurn({ id: `t${n}`, sessionId: "s", inboundId: `m${n}`, startedAt: n });
    addTurn(store, n, "chat");
  }
  expect(new Set(starts).size).toBeLessThan(20);
  expect(starts).toEqual(starts.toSorted((one, other) => one - other));
});

test("rows of the turn itself and of later ones are not the past", async () => {
  const rows = await pick(aSession(3), 1000, 5);
  expect(rows.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
});

test("a command does not begin the history", async () => {
  const rows = await pick(aSession(2, { commandAt: 0 }), 1000);
  expect(rows[0]?.id).toBe(3);
});

test("an empty chat, and a room too small for anything, have no past", async () => {
  expect(await pick(aSession(0), 1000)).toEqual([]);
  expect(await pick(aSession(3), 5)).toEqual([]);
});

test("rows without any question are no past, however many they are", async () => {
  const store = aSession(1);
  const row = { sessionId: "s", turnId: "t0", role: "assistant", status: "complete", createdAt: 1 } as const;
  for (let n = 0; n < 100; n++) store.append({ ...row, parts: [{ type: "text", text: `answer ${n}` }] });
  expect(await pick(store, 1_000)).toEqual([]);
});
