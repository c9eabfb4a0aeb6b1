import { expect, test } from "vitest";
import type { LedgerRow, LedgerTotals } from "../../shared/network.ts";
import type { NumberedEvent, StreamEvent } from "../../shared/stream.ts";
import type { Host } from "../lib/host.ts";
import { createNetwork, withLedgerRow } from "./network.ts";

const row = (id: number, more: Partial<LedgerRow> = {}): LedgerRow => ({
  ...{ id, at: id, purpose: "answer", host: "api.example.com", port: 443, place: "cloud" },
  ...{ bodyOut: 10, bodyIn: 20, outcome: "done", ...more },
});
const ids = (rows: readonly LedgerRow[]) => rows.map(({ id }) => id);

/** A main process with so many rows, that can tell of more. */
function aHost(count: number) {
  const rows = Array.from({ length: count }, (_, at) => row(count - at));
  const asked: unknown[] = [];
  const listeners = new Set<(events: readonly NumberedEvent[]) => void>();
  const call = async (name: string, input: { before?: number; limit: number }) => {
    asked.push([name, input]);
    if (name === "network.totals")
      return { connections: rows.length, refused: 0, bodyOut: 0, bodyIn: 0, byHost: [] } satisfies LedgerTotals;
    const older = rows.filter(({ id }) => id < (input.before ?? Number.POSITIVE_INFINITY));
    return { rows: older.slice(0, input.limit), hasMore: older.length > input.limit };
  };
  const host = {
    call: call as unknown as Host["call"],
    callOn: call as unknown as Host["callOn"],
    onEvents(listener: (events: readonly NumberedEvent[]) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const tell = (event: StreamEvent) => {
    for (const listener of listeners) listener([{ n: 1, event }]);
  };
  return { host, tell, asked, listeners };
}

/** Until all that was asked is answered. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a new row stands first, a closed one in its place, and an older one where it belongs", () => {
  const rows = [row(5, { outcome: "open" }), row(3)];
  expect(ids(withLedgerRow(rows, row(6)))).toEqual([6, 5, 3]);
  expect(withLedgerRow(rows, row(5))[0]?.outcome).toBe("done");
  expect(ids(withLedgerRow(rows, row(4)))).toEqual([5, 4, 3]);
  expect(ids(withLedgerRow(rows, row(1)))).toEqual([5, 3, 1]);
});

test("what is made while it is looked at is there at once, with the totals; what is not of the chat is not", async () => {
  const { host, tell, asked } = aHost(2);
  const network = createNetwork(host, "chat", ({ chatId }) => chatId === "chat");
  await settled();
  asked.length = 0;
  tell({ type: "network", row: row(3, { chatId: "chat", outcome: "refused" }) });
  tell({ type: "network", row: row(4, { chatId: "another" }) });
  expect(ids(network.store.getState().rows)).toEqual([3, 2, 1]);
  await settled();
  expect(asked).toEqual([["network.totals", { chatId: "chat" }]]);
});

test("a burst of rows asks for the totals one at a time, and once more at its end", async () => {
  const { host, tell, asked } = aHost(0);
  createNetwork(host, undefined, () => true);
  await settled();
  asked.length = 0;
  for (let id = 1; id <= 50; id++) tell({ type: "network", row: row(id) });
  await settled();
  expect(asked).toHaveLength(2);
});

test("earlier rows are read in pages, each once", async () => {
  const { host } = aHost(230);
  const network = createNetwork(host, undefined, () => true);
  await settled();
  expect(network.store.getState()).toMatchObject({ status: "ready", hasMore: true });
  await network.readEarlier();
  await network.readEarlier();
  expect(ids(network.store.getState().rows)).toEqual(Array.from({ length: 230 }, (_, at) => 230 - at));
  expect(network.store.getState().hasMore).toBe(false);
});

test("nobody listens any more once it is not looked at", async () => {
  const { host, listeners } = aHost(1);
  createNetwork(host, undefined, () => true).dispose();
  await settled();
  expect(listeners.size).toBe(0);
});
