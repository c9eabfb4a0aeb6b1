import { randomBytes } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { storedTurn } from "../../../tests/support/stored-turn.ts";
import type { RequestRecord } from "../../shared/turn.ts";
import type { Connection } from "./connection.ts";
import { openDatabase } from "./open.ts";
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

test("a request is there before it is sent, and gets its end", () => {
  store.insertRequest(request(1), "{}");
  expect(requests()).toEqual([request(1)]);
  const usage = { inputTokens: 9, reusedTokens: 3, outputTokens: 2, firstTokenMs: 80.5, decodeMs: 12.25 };
  const ended = request(1, { ms: 12.5, finish: "stop", usage });
  store.endRequest(ended);
  const failed = request(2, { ms: 1, error: { code: "timeout", message: "No answer.", retryable: true } });
  store.insertRequest(request(2), "{}");
  store.endRequest(failed);
  expect(requests()).toEqual([ended, failed]);
});

test("requests come back in order, also the tenth", () => {
  for (const number of [1, 2, 9, 10, 11, 3]) store.insertRequest(request(number), "{}");
  expect(requests()?.map(({ number }) => number)).toEqual([1, 2, 3, 9, 10, 11]);
});

const sent: Record<string, string> = {
  "a short one": '{"a":1}',
  nothing: "",
  "a long one": JSON.stringify(Array.from({ length: 5_000 }, (_, number) => ({ number, text: "and so on" }))),
  "one that cannot be made shorter": noise(100_000),
  "all of Unicode": JSON.stringify("a\0b 好 👨‍👩‍👧‍👦 \u202e e\u0301 half \ud83d"),
};
test.each(Object.entries(sent))("what was sent reads back exactly: %s", (_, text) => {
  store.insertRequest(request(1), text);
  expect(store.sentRequest("t", 1)).toBe(text);
});

test("what compresses takes less room than it has characters", () => {
  store.insertRequest(request(1), "the same words again. ".repeat(2_000));
  const bytes = connection.statement("SELECT value FROM counter WHERE name = 'sent-bytes'").pluck().get();
  expect(bytes).toBeLessThan(2_000);
});

test("a request needs its turn, has its number once, and ends only if it is there", () => {
  expect(() => store.insertRequest(request(1, { turnId: "none" }), "{}")).toThrow(refused);
  store.insertRequest(request(1), "first");
  expect(() => store.insertRequest(request(1), "second")).toThrow(refused);
  expect(store.sentRequest("t", 1)).toBe("first");
  expect(() => store.endRequest(request(2))).toThrow("The turn t has no request 2.");
  expect(store.sentRequest("t", 2)).toBeUndefined();
  expect(store.sentRequest("none", 1)).toBeUndefined();
});

test("only the newest of what was sent is kept, the records all", () => {
  for (let number = 1; number <= 10; number++) store.insertRequest(request(number), noise(1_000), 4_500);
  const kept = Array.from({ length: 10 }, (_, at) => store.sentRequest("t", at + 1) !== undefined);
  expect(kept.lastIndexOf(false)).toBeGreaterThanOrEqual(4);
  expect(kept.slice(kept.lastIndexOf(false) + 1).length).toBeGreaterThanOrEqual(4);
  expect(kept.indexOf(true)).toBe(kept.lastIndexOf(false) + 1);
  expect(requests()).toHaveLength(10);
  expect(store.check()).toEqual([]);
});

test("a size that was kept wrongly drops more than it had to, and that is all", () => {
  connection.statement("UPDATE counter SET value = 1000000 WHERE name = 'sent-bytes'").run();
  store.insertRequest(request(1), "[]", 4_000);
  expect(requests()).toHaveLength(1);
});

test("one that is too long by itself is not kept, and the next one is", () => {
  store.insertRequest(request(1), noise(10_000), 4_000);
  expect(store.sentRequest("t", 1)).toBeUndefined();
  store.insertRequest(request(2), "[]", 4_000);
  expect(store.sentRequest("t", 2)).toBe("[]");
  expect(requests()).toHaveLength(2);
  expect(store.check()).toEqual([]);
});
