import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createStore } from "../db/store.ts";
import { silentLog } from "../lib/log.ts";
import { createDeletedChats } from "./deleted-chats.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => vi.useRealTimers());

function aStore() {
  const store = createStore(":memory:");
  let time = 1_000;
  const deleted = createDeletedChats({ stores: [store], now: () => time, log: silentLog });
  function remove(id: string): void {
    store.accept({ id: `m ${id}`, sessionId: id, channel: "test", text: "hello", createdAt: 1 });
    store.deleteChat(id, time);
    deleted.purgeLater();
  }
  const pass = async (ms: number) => {
    time += ms;
    vi.advanceTimersByTime(ms);
    for (let round = 0; round < 10; round++) await new Promise((resolve) => setImmediate(resolve));
  };
  return { store, deleted, remove, pass };
}

const isGone = (store: ReturnType<typeof createStore>, id: string): boolean => store.inbound(`m ${id}`) === undefined;

test("a deleted chat is there for a minute, then it is gone, and only it", async () => {
  const { store, remove, pass } = aStore();
  remove("a");
  await pass(30_000);
  remove("b");
  await pass(29_999);
  expect(isGone(store, "a")).toBe(false);
  await pass(1);
  expect([isGone(store, "a"), isGone(store, "b")]).toEqual([true, false]);
  await pass(30_000);
  expect(isGone(store, "b")).toBe(true);
});

test("what was restored in time stays", async () => {
  const { store, remove, pass } = aStore();
  remove("a");
  await pass(10_000);
  store.restoreChat("a");
  await pass(120_000);
  expect(isGone(store, "a")).toBe(false);
});

test("after the app is closed nothing is touched", async () => {
  const { store, deleted, remove, pass } = aStore();
  remove("a");
  deleted.close();
  await pass(120_000);
  expect(isGone(store, "a")).toBe(false);
});
