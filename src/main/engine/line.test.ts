import { expect, test } from "vitest";
import { Line } from "./line.ts";

const noStop = new AbortController().signal;

test("one at a time gets in, in the order of asking, also those who come while one leaves", async () => {
  const line = new Line();
  const order: string[] = [];
  const visit = async (name: string) => {
    const leave = await line.enter(noStop);
    order.push(`${name} in`);
    await Promise.resolve();
    order.push(`${name} out`);
    leave();
  };
  const first = visit("a");
  await Promise.all([first, visit("b"), first.then(() => visit("d")), visit("c")]);
  expect(order).toEqual(["a in", "a out", "b in", "b out", "c in", "c out", "d in", "d out"]);
  expect(line.isBusy).toBe(false);
});

test("who is stopped while waiting is passed over", async () => {
  const line = new Line();
  const stop = new AbortController();
  const leave = await line.enter(noStop);
  const stopped = line.enter(stop.signal);
  const next = line.enter(noStop);
  stop.abort();
  await expect(stopped).rejects.toMatchObject({ code: "aborted" });
  leave();
  (await next)();
  expect(line.isBusy).toBe(false);
});

test("who is stopped before asking does not get in, and a stop after the turn began changes nothing", async () => {
  const line = new Line();
  await expect(line.enter(AbortSignal.abort())).rejects.toMatchObject({ code: "aborted" });
  const stop = new AbortController();
  const leave = await line.enter(noStop);
  const waiting = line.enter(stop.signal);
  leave();
  stop.abort();
  (await waiting)();
  expect(line.isBusy).toBe(false);
});
