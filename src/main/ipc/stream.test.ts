import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { StreamBatch, StreamEvent } from "../../shared/stream.ts";
import { createStreamSender } from "./stream.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const delta = (text: string, messageId = 1): StreamEvent => ({
  type: "delta",
  sessionId: "s",
  turnId: "t",
  messageId,
  text,
});
const removed = (chatId: string): StreamEvent => ({ type: "chat.removed", chatId });
const progress = (done: number): StreamEvent => ({
  type: "progress",
  sessionId: "s",
  turnId: "t",
  phase: "reading",
  done,
  total: 9,
});

function aSender() {
  const posts: StreamBatch[] = [];
  const sender = createStreamSender((batch) => posts.push(batch));
  let n = 0;
  const push = (...events: StreamEvent[]) => {
    for (const event of events) sender.push({ n: ++n, event });
  };
  const nextBatch = () => vi.advanceTimersByTime(33);
  const text = () =>
    posts
      .flatMap(({ events }) => events)
      .map(({ event }) => (event.type === "delta" ? event.text : ""))
      .join("");
  return { sender, posts, push, nextBatch, text };
}

test("what comes within 33 ms crosses as one batch, and nothing crosses before", () => {
  const { posts, push, nextBatch } = aSender();
  push(delta("a"), removed("c"), delta("b"));
  vi.advanceTimersByTime(32);
  expect(posts).toEqual([]);
  nextBatch();
  expect(posts).toEqual([
    {
      seq: 1,
      events: [
        { n: 1, event: delta("a") },
        { n: 2, event: removed("c") },
        { n: 3, event: delta("b") },
      ],
    },
  ]);
  nextBatch();
  expect(posts).toHaveLength(1);
});

test("neighbouring pieces of one message are one event with the number of the last; others stay apart", () => {
  const { posts, push, nextBatch } = aSender();
  push(delta("a"), delta("b"), delta("x", 2), progress(1), progress(2), {
    ...delta("r"),
    type: "reasoning",
  } as StreamEvent);
  nextBatch();
  expect(posts[0]?.events).toEqual([
    { n: 2, event: delta("ab") },
    { n: 3, event: delta("x", 2) },
    { n: 5, event: progress(2) },
    { n: 6, event: { ...delta("r"), type: "reasoning" } },
  ]);
});

test("a hundred pieces that nobody acknowledges are two posts, one more after an acknowledgement, and nothing is lost", () => {
  const { sender, posts, push, nextBatch, text } = aSender();
  const pieces = Array.from({ length: 100 }, (_, at) => `${at} `);
  for (const piece of pieces) {
    push(delta(piece));
    nextBatch();
  }
  expect(posts.map(({ seq }) => seq)).toEqual([1, 2]);
  sender.ack(1);
  nextBatch();
  expect(posts.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect(text()).toBe(pieces.join(""));
  expect(posts[2]?.events).toHaveLength(1);
});

test("an acknowledgement of what was never sent opens no door", () => {
  const { sender, posts, push, nextBatch } = aSender();
  sender.ack(1_000);
  for (let at = 0; at < 4; at++) {
    push(delta("a"));
    nextBatch();
  }
  expect(posts).toHaveLength(2);
});

test("nothing grows across a barrier: what a snapshot has in it and what comes after are two events", () => {
  const { sender, posts, push, nextBatch } = aSender();
  push(delta("a"), delta("b"));
  sender.barrier();
  push(delta("c"), delta("d"));
  nextBatch();
  expect(posts[0]?.events).toEqual([
    { n: 2, event: delta("ab") },
    { n: 4, event: delta("cd") },
  ]);
});

test("a page that is 5,000 events behind gets one reset in place of all, and what comes after it", () => {
  const { sender, posts, push, nextBatch } = aSender();
  for (let at = 0; at < 2; at++) {
    push(removed("early"));
    nextBatch();
  }
  for (let at = 0; at < 10_500; at++) push(removed(`c${at}`));
  sender.ack(2);
  nextBatch();
  expect(posts).toHaveLength(3);
  const [first, ...rest] = posts[2]?.events ?? [];
  expect(first?.event).toEqual({ type: "reset" });
  expect(rest.length).toBeLessThan(5_000);
  expect(rest.at(-1)).toEqual({ n: 10_502, event: removed("c10499") });
  expect(rest.map(({ n }) => n)).toEqual(rest.map((_, at) => (first?.n ?? 0) + 1 + at));
});

test("a page that is four million characters behind gets one reset", () => {
  const { posts, push, nextBatch } = aSender();
  for (let at = 0; at < 5; at++) push(delta("x".repeat(900_000)), removed("c"));
  nextBatch();
  expect(posts[0]?.events.map(({ event }) => event.type)).toEqual(["reset", "chat.removed"]);
});

test("nothing crosses after the page is closed", () => {
  const { sender, posts, push, nextBatch } = aSender();
  push(delta("a"));
  sender.close();
  push(delta("b"));
  sender.ack(0);
  nextBatch();
  expect(posts).toEqual([]);
});
