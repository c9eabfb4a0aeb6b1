import { expect, test } from "vitest";
import { nextRung, onRung, type Rung, rungsOf, saferOptions } from "./ladder.ts";
import type { LoadOptions, RunSettings } from "./protocol.ts";

const run: RunSettings = { gpu: "auto", flashAttention: "auto", cacheType: "q8_0", thinking: "off" };
const options = (more: Partial<LoadOptions> = {}): LoadOptions => ({
  path: "m.gguf",
  contextTokens: 8192,
  run,
  ...more,
});
const text = ({ gpuShare, contextTokens }: Rung) => `${gpuShare} ${contextTokens}`;

test("the ladder gives up layers, then the card, then half of the window again and again, down to 2048 tokens", () => {
  expect(rungsOf(options()).map(text)).toEqual(["1 8192", "0.5 8192", "0.25 8192", "0 8192", "0 4096", "0 2048"]);
});

test("without a card to use it begins on the processor, and halves what the model knows, not what was wished for", () => {
  const off = options({ run: { ...run, gpu: "off" }, contextTokens: 100_000 });
  expect(rungsOf(off, 8192).map(text)).toEqual(["0 100000", "0 4096", "0 2048"]);
  expect(rungsOf(options({ contextTokens: 2048, run: { ...run, gpu: "off" } })).map(text)).toEqual(["0 2048"]);
});

test("too little memory costs a step, and a card that crashed is not tried again", () => {
  const rungs = rungsOf(options());
  const [first, , , onProcessor] = rungs as [Rung, Rung, Rung, Rung];
  expect(nextRung(rungs, first, "memory", true)).toEqual({ gpuShare: 0.5, contextTokens: 8192 });
  expect(nextRung(rungs, first, "gpu-crash", true)).toEqual({ gpuShare: 0, contextTokens: 8192 });
  expect(nextRung(rungs, first, "memory", false)).toEqual({ gpuShare: 0, contextTokens: 4096 });
  expect(nextRung(rungs, onProcessor, "memory", false)).toEqual({ gpuShare: 0, contextTokens: 4096 });
  expect(nextRung(rungs, { gpuShare: 0, contextTokens: 2048 }, "memory", false)).toBeUndefined();
});

test("on the processor the driver of the card is not even started", () => {
  expect(onRung(options(), { gpuShare: 0, contextTokens: 4096 })).toMatchObject({
    contextTokens: 4096,
    run: { gpu: "off", cacheType: "q8_0" },
  });
  expect(onRung(options(), { gpuShare: 0.5, contextTokens: 8192 })).toMatchObject({ gpuShare: 0.5, run });
});

test("the safer settings leave out all that is known to crash a model, and keep how it thinks", () => {
  expect(saferOptions(options())).toMatchObject({
    contextTokens: 2048,
    run: { gpu: "off", flashAttention: "auto", cacheType: "f16", thinking: "off" },
    sparedThreads: 1,
  });
});
