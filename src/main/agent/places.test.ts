import { expect, test } from "vitest";
import { createPause } from "./pause.ts";
import { createPlaces } from "./places.ts";

/** Sessions with so many things to do; `finish` ends what runs. */
function aQueue(tasks: Record<string, number>, width = 3) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const places = createPlaces(width, (sessionId) => {
    if (!tasks[sessionId]) return undefined;
    tasks[sessionId]--;
    started.push(sessionId);
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.set(sessionId, resolve);
    return { sessionId, abort: new AbortController(), pause: createPause(), ended: promise };
  });
  const finish = async (sessionId: string) => {
    ends.get(sessionId)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { places, started, finish };
}

test("one session runs one thing at a time, in turn", async () => {
  const { places, started, finish } = aQueue({ a: 3 });
  places.wake("a");
  places.wake("a");
  expect(started).toEqual(["a"]);
  await finish("a");
  await finish("a");
  expect(started).toEqual(["a", "a", "a"]);
});

test("three sessions run at once, the fourth waits for a place", async () => {
  const { places, started, finish } = aQueue({ a: 1, b: 1, c: 1, d: 1 });
  for (const session of ["a", "b", "c", "d"]) places.wake(session);
  expect(started).toEqual(["a", "b", "c"]);
  await finish("b");
  expect(started).toEqual(["a", "b", "c", "d"]);
});

test("a busy session does not push out one that waits", async () => {
  const { places, started, finish } = aQueue({ a: 5, b: 1 }, 1);
  places.wake("a");
  places.wake("b");
  await finish("a");
  expect(started).toEqual(["a", "b"]);
});

test("what is idle is forgotten", async () => {
  const { places, finish } = aQueue({ a: 1 });
  places.wake("a");
  await finish("a");
  expect(places.all()).toEqual([]);
});

test("after closing nothing starts", async () => {
  const { places, started, finish } = aQueue({ a: 2 });
  places.wake("a");
  places.close();
  await finish("a");
  expect(started).toEqual(["a"]);
});
