import { expect, test } from "vitest";
import type { NewLedgerRow } from "../../shared/network.ts";
import { createStore } from "./store.ts";

const aConnection = (more: Partial<NewLedgerRow> = {}): NewLedgerRow => ({
  at: 10,
  purpose: "answer",
  host: "api.example.com",
  port: 443,
  place: "cloud",
  outcome: "open",
  ...more,
});

test("a connection is written down open, and closed once with what crossed", () => {
  const store = createStore(":memory:");
  const id = store.openLedgerRow(aConnection({ chatId: "a", turnId: "t", address: "203.0.113.7", model: "big-1" }));
  expect(store.ledgerRow(id)).toEqual({
    ...aConnection({ chatId: "a", turnId: "t", address: "203.0.113.7", model: "big-1" }),
    ...{ id, bodyOut: 0, bodyIn: 0 },
  });
  store.closeLedgerRow(id, { bodyOut: 40, bodyIn: 900, outcome: "done", status: 200, endedAt: 12 });
  store.closeLedgerRow(id, { bodyOut: 1, bodyIn: 1, outcome: "failed", error: "timeout", endedAt: 99 });
  expect(store.ledgerRow(id)).toMatchObject({ bodyOut: 40, bodyIn: 900, outcome: "done", status: 200, endedAt: 12 });
  store.close();
});

test("the ledger is read newest first, of one chat or of all, a page at a time", () => {
  const store = createStore(":memory:");
  const ids = ["a", "b", "a", undefined].map((chatId) => store.openLedgerRow(aConnection(chatId ? { chatId } : {})));
  const read = (query: Parameters<typeof store.ledgerRows>[0]) => store.ledgerRows(query).map(({ id }) => id);
  expect(read({ limit: 10 })).toEqual(ids.toReversed());
  expect(read({ limit: 2, before: ids[3] })).toEqual([ids[2], ids[1]]);
  expect(read({ limit: 10, chatId: "a" })).toEqual([ids[2], ids[0]]);
  store.close();
});

test("the totals count what crossed by host, and what was refused apart from it", () => {
  const store = createStore(":memory:");
  const end = { outcome: "done", endedAt: 2 } as const;
  const [one, two] = [aConnection({ chatId: "a" }), aConnection({ host: "127.0.0.1", place: "this-computer" })];
  store.closeLedgerRow(store.openLedgerRow(one), { ...end, bodyOut: 10, bodyIn: 100 });
  store.closeLedgerRow(store.openLedgerRow(one), { ...end, bodyOut: 5, bodyIn: 50 });
  store.closeLedgerRow(store.openLedgerRow(two), { ...end, bodyOut: 1, bodyIn: 2 });
  store.openLedgerRow(aConnection({ outcome: "refused", error: "local-mode" }));
  expect(store.ledgerTotals()).toEqual({
    ...{ connections: 3, refused: 1, bodyOut: 16, bodyIn: 152 },
    byHost: [
      { host: "api.example.com", place: "cloud", connections: 2, bodyOut: 15, bodyIn: 150 },
      { host: "127.0.0.1", place: "this-computer", connections: 1, bodyOut: 1, bodyIn: 2 },
    ],
  });
  expect(store.ledgerTotals("a")).toMatchObject({ connections: 2, refused: 0, bodyOut: 15 });
  store.close();
});

test("what the last run left open was cut off, and says so", () => {
  const store = createStore(":memory:");
  const id = store.openLedgerRow(aConnection());
  store.closeLeftRows(77);
  expect(store.ledgerRow(id)).toMatchObject({ outcome: "failed", error: "interrupted", endedAt: 77 });
  store.close();
});
