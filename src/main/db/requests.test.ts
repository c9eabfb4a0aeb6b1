import { randomBytes } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { storedTurn, tableProblems } from "../../../tests/support/stored-turn.ts";
import type { RequestRecord } from "../../shared/turn.ts";
import type { Connection } from "./connection.ts";
import { openDatabase } from "./open.ts";
import { keepSent } from "./requests.ts";
import { type Store, storeOn } from "./store.ts";

let connection: Connection;
let store: Store;
beforeEach(() => {
  connection = openDatabase(":memory:");
  store = storeOn(connection);
  storedTurn(store);
});

const request = (number: number, more: Partial<RequestRecord> = {}): RequestRecord => ({
  turnId: "t",
  number,
  startedAt: 5,
  model: { name: "Qwen 3", local: true, window: 8192 },
  messages: 3,
  tools: 2,
  ...more,
});
const requests = () => store.turnView("t")?.requests;
const refused = expect.objectContaining({ code: "bad-request" });
/** JSON that takes at least so many bytes, however it is packed. */
const noise = (bytes: number) => JSON.stringify(randomBytes(bytes).toString("hex"));

test("a request is stored with its figures", () => {
  const usage = { inputTokens: 9, reusedTokens: 3, outputTokens: 2, firstTokenMs: 80.5, decodeMs: 12.25 };
  const ended = request(1, { ms: 12.5, finish: "stop", usage });
  const failed = request(2, { ms: 1, error: { code: "timeout", message: "No answer.", retryable: true } });
  store.insertRequest(ended);
  store.insertRequest(failed);
  expect(requests()).toEqual([ended, failed]);
});

test("requests come back in order, also the tenth", () => {
  for (const number of [1, 2, 9, 10, 11, 3]) store.insertRequest(request(number));
  expect(requests()?.map(({ number }) => number)).toEqual([1, 2, 3, 9, 10, 11]);
});

const sent: Record<string, string> = {
  "a short one": '{"a":1}',
  nothing: "",
  "a long one": JSON.stringify(Array.from({ length: 5_000 }, (_, number) => ({ number, text: "and so on" }))),
  "one that cannot be made shorter": noise(100_000),
  "all of Unicode": JSON.stringify("a\0b 好 👨‍👩‍👧‍👦 \u202e e\u0301 half \ud83d"),
};
test.each(Object.entries(sent))(
  "what was sent reads back exactly, while the turn runs and afterwards: %s",
  (_, text) => {
    const texts = [text, `${text} and more`, text.slice(0, 3), text];
    const read = () => texts.map((_, at) => store.sentRequest("t", at + 1));
    for (const [at, one] of texts.entries()) store.keepSent("t", at + 1, one);
    expect(read()).toEqual(texts);
    store.endTurn("t", { stopReason: "completed", endedAt: 9 });
    expect(read()).toEqual(texts);
    expect(store.sentRequest("t", 5)).toBeUndefined();
    expect(tableProblems(store)).toEqual([]);
  },
);

test("what is said again with each request takes room once", () => {
  const first = noise(20_000); // longer than what deflate looks back at: it cannot find by itself what is said again
  for (let number = 1; number <= 20; number++) store.keepSent("t", number, first + "tool ".repeat(number));
  store.endTurn("t", { stopReason: "completed", endedAt: 9 });
  const bytes = connection.statement("SELECT value FROM counter WHERE name = 'sent-bytes'").pluck().get();
  expect(bytes).toBeLessThan(30_000);
});

test("a turn that ends twice keeps what it sent, and one that sent nothing has nothing", () => {
  store.keepSent("t", 1, "{}");
  for (const endedAt of [9, 10]) store.endTurn("t", { stopReason: "completed", endedAt });
  expect(store.sentRequest("t", 1)).toBe("{}");
  storedTurn(store, "t2");
  store.endTurn("t2", { stopReason: "completed", endedAt: 9 });
  expect(store.sentRequest("t2", 1)).toBeUndefined();
});

test("a request needs its turn and has its number once", () => {
  expect(() => store.insertRequest(request(1, { turnId: "none" }))).toThrow(refused);
  store.insertRequest(request(1));
  expect(() => store.insertRequest(request(1, { messages: 9 }))).toThrow(refused);
  expect(requests()).toEqual([request(1)]);
  expect(store.sentRequest("t", 2)).toBeUndefined();
  expect(store.sentRequest("none", 1)).toBeUndefined();
});

/** Turns after "t", each with one request; what they sent may take so many bytes together. */
function keep(turns: number, bytes: number, limit: number): boolean[] {
  const ids = Array.from({ length: turns }, (_, at) => `turn${at}`);
  for (const id of ids) {
    storedTurn(store, id);
    keepSent(connection, id, JSON.stringify([{ number: 1, shared: 0, rest: noise(bytes) }]), limit);
  }
  return ids.map((id) => store.sentRequest(id, 1) !== undefined);
}

test("only the newest of what was sent is kept", () => {
  const kept = keep(10, 1_000, 4_500);
  expect(kept.lastIndexOf(false)).toBeGreaterThanOrEqual(4);
  expect(kept.slice(kept.lastIndexOf(false) + 1).length).toBeGreaterThanOrEqual(3);
  expect(kept.indexOf(true)).toBe(kept.lastIndexOf(false) + 1);
  expect(tableProblems(store)).toEqual([]);
});

test("a size that was kept wrongly drops more than it had to, and that is all", () => {
  connection.statement("UPDATE counter SET value = 1000000 WHERE name = 'sent-bytes'").run();
  expect(keep(1, 10, 4_000)).toEqual([false]);
});

test("one that is too long by itself is not kept, and the next one is", () => {
  expect([...keep(1, 10_000, 4_000)]).toEqual([false]);
  keepSent(connection, "t", JSON.stringify([{ number: 1, shared: 0, rest: "[]" }]), 4_000);
  expect(store.sentRequest("t", 1)).toBe("[]");
  expect(tableProblems(store)).toEqual([]);
});

test("what really left takes the place of what was laid out, and the requests around it stay", () => {
  store.keepSent("t", 1, "one, laid out");
  store.keepSent("t", 2, "two, laid out");
  store.keepSent("t", 2, '{"model":"big"}');
  store.keepSent("t", 3, "three, laid out");
  store.keepSent("t", 3, '{"model":"bigger"}');
  const read = () => [1, 2, 3].map((number) => store.sentRequest("t", number));
  const sent = ["one, laid out", '{"model":"big"}', '{"model":"bigger"}'];
  expect(read()).toEqual(sent);
  store.endTurn("t", { stopReason: "completed", endedAt: 9 });
  expect(read()).toEqual(sent);
});
