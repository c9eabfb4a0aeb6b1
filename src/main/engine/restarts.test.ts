import { expect, test } from "vitest";
import { engineLimits } from "./limits.ts";
import { Restarts } from "./restarts.ts";

const minute = 60_000;

function aRecord(times: readonly number[]) {
  let time = 0;
  const restarts = new Restarts(engineLimits, () => time);
  for (const at of times) {
    time = at;
    restarts.crashed("a.gguf", "signal SIGKILL");
  }
  return {
    restarts,
    at(now: number) {
      time = now;
      return restarts;
    },
  };
}

test.each([
  { crashes: 0, delay: 0 },
  { crashes: 1, delay: 0 },
  { crashes: 2, delay: 1_000 },
  { crashes: 3, delay: 5_000 },
  { crashes: 4, delay: 30_000 },
  { crashes: 9, delay: 30_000 },
])("after $crashes crashes in a row the next start waits $delay ms", ({ crashes, delay }) => {
  expect(aRecord(Array(crashes).fill(0)).restarts.delay("a.gguf")).toBe(delay);
});

test("time that has passed since the crash counts, and a good answer ends the row", () => {
  const { at } = aRecord([0, 0, 0]);
  expect(at(2_000).delay("a.gguf")).toBe(3_000);
  expect(at(9_000).delay("a.gguf")).toBe(0);
  at(0).succeeded("a.gguf");
  expect(at(0).delay("a.gguf")).toBe(0);
  at(0).crashed("a.gguf", "signal SIGKILL");
  expect(at(0).delay("a.gguf")).toBe(0);
});

test("three crashes within five minutes pause a model until the first is five minutes old, good answers or not", () => {
  const { at, restarts } = aRecord([0, 2 * minute, 4 * minute]);
  restarts.succeeded("a.gguf");
  expect(at(4 * minute).refusal("a.gguf")).toMatchObject({
    code: "engine-unavailable",
    message: expect.stringContaining("in 1 minute."),
  });
  expect(at(5 * minute).refusal("a.gguf")).toBeUndefined();
});

test("crashes further apart do not pause it, and another model is not concerned", () => {
  const { at, restarts } = aRecord([0, 4 * minute, 8 * minute]);
  expect(at(8 * minute).refusal("a.gguf")).toBeUndefined();
  expect(aRecord([0, 0, 0]).restarts.refusal("b.gguf")).toBeUndefined();
  restarts.crashed("a.gguf", "signal SIGKILL");
  expect(restarts.refusal("a.gguf")).toBeDefined();
  restarts.forget("a.gguf");
  expect(restarts.refusal("a.gguf")).toBeUndefined();
});
