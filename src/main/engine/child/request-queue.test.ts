import { describe, expect, test } from "vitest";
import { createRequestQueue } from "./request-queue.ts";

/** A queue and what happened in it; a run ends when it is released or stopped. */
function watchedQueue() {
  const queue = createRequestQueue();
  const happened: string[] = [];
  const releases = new Map<number, () => void>();
  const add = (id: number) =>
    queue.add(
      id,
      async (signal) => {
        happened.push(`${id} starts`);
        await new Promise<void>((resolve) => {
          releases.set(id, resolve);
          signal.addEventListener("abort", () => resolve());
        });
        happened.push(signal.aborted ? `${id} is stopped` : `${id} ends`);
      },
      () => happened.push(`${id} is cancelled`),
    );
  return { queue, happened, add, release: (id: number) => releases.get(id)?.() };
}

const aMoment = () => new Promise((resolve) => setImmediate(resolve));

describe("the queue of requests", () => {
  test("runs one after the other", async () => {
    const { happened, add, release } = watchedQueue();
    add(1);
    add(2);
    await aMoment();
    expect(happened).toEqual(["1 starts"]);
    release(1);
    await aMoment();
    expect(happened).toEqual(["1 starts", "1 ends", "2 starts"]);
  });

  test("answers for a waiting request at once when it is stopped, and never runs it", async () => {
    const { queue, happened, add, release } = watchedQueue();
    for (const id of [1, 2, 3]) add(id);
    await aMoment();
    queue.abort(2);
    expect(happened).toEqual(["1 starts", "2 is cancelled"]);
    release(1);
    await aMoment();
    expect(happened).toEqual(["1 starts", "2 is cancelled", "1 ends", "3 starts"]);
  });

  test("stops what runs, once", async () => {
    const { queue, happened, add } = watchedQueue();
    add(1);
    await aMoment();
    queue.abort(1);
    queue.abort(1);
    queue.abort(7);
    await queue.idle();
    expect(happened).toEqual(["1 starts", "1 is stopped"]);
  });

  test("stops everything before the end", async () => {
    const { queue, happened, add } = watchedQueue();
    add(1);
    add(2);
    await aMoment();
    queue.abortAll();
    await queue.idle();
    expect(happened).toEqual(["1 starts", "2 is cancelled", "1 is stopped"]);
  });
});
