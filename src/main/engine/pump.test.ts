import { expect, test } from "vitest";
import { pump } from "./pump.ts";

const noStop = new AbortController().signal;

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test("everything comes out in order, what was emitted at once and what came later", async () => {
  const work = async (emit: (item: number) => void) => {
    emit(1);
    emit(2);
    await Promise.resolve();
    emit(3);
    await new Promise((resolve) => setTimeout(resolve, 5));
    emit(4);
  };
  expect(await collect(pump(work, noStop))).toEqual([1, 2, 3, 4]);
});

test("a failure comes after what was said before it", async () => {
  const seen: string[] = [];
  const work = async (emit: (item: string) => void) => {
    emit("half");
    throw new Error("broken");
  };
  const reading = (async () => {
    for await (const item of pump(work, noStop)) seen.push(item);
  })();
  await expect(reading).rejects.toThrow("broken");
  expect(seen).toEqual(["half"]);
});

test("leaving early stops the work and waits for its end, whatever the end is", async () => {
  let isOver = false;
  const work = async (emit: (item: string) => void, signal: AbortSignal) => {
    emit("one");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    await new Promise((resolve) => setTimeout(resolve, 5));
    isOver = true;
    throw new Error("nobody hears this");
  };
  for await (const item of pump(work, noStop)) if (item === "one") break;
  expect(isOver).toBe(true);
});

test("a stop from outside reaches the work", async () => {
  const stop = new AbortController();
  const work = async (emit: (item: boolean) => void, signal: AbortSignal) => {
    stop.abort();
    emit(signal.aborted);
  };
  expect(await collect(pump(work, stop.signal))).toEqual([true]);
});
