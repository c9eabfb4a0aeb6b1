import { join } from "node:path";
import { expect, test } from "vitest";
import { asks, EngineChild, knownCard, sharedChild } from "../../../../tests/support/engine-child.ts";
import { temporaryFolder } from "../../../../tests/support/fake-engine.ts";
import type { GgufModel } from "../../../../tests/support/gguf.ts";
import { sayingModel } from "../../../../tests/support/tiny-models.ts";
import type { EngineReply, RunSettings } from "../protocol.ts";

const usual: RunSettings = { gpu: "off", flashAttention: "auto", cacheType: "f16", thinking: "auto" };
const child = sharedChild();
const saying = (more: GgufModel = {}) => sayingModel(join(temporaryFolder(), "m.gguf"), [" fine"], more);

const loadWith = (change: Partial<RunSettings>, more: GgufModel = {}) =>
  child.load({ path: saying(more), run: { ...usual, ...change } });

test.each([
  { name: "as it is wanted", change: { cacheType: "q8_0" }, more: {}, expected: "q8_0" },
  { name: "as usual without flash attention", change: { cacheType: "q8_0", flashAttention: "off" }, expected: "f16" },
  { name: "as usual with heads of 16 numbers", change: { cacheType: "q8_0" }, more: { heads: 16 }, expected: "f16" },
  { name: "as usual when nothing else is wanted", change: {}, more: {}, expected: "f16" },
] as const)("the cache is $name, and the model answers", async ({ expected, ...rest }) => {
  const loaded = await loadWith(rest.change, "more" in rest ? rest.more : {});
  expect(loaded.cacheType).toBe(expected);
  expect((await child.chat(asks("Well?"))).text).toContain("fine");
});

test.each(["on", "off"] as const)("a model answers with flash attention %s", async (flashAttention) => {
  await loadWith({ flashAttention });
  expect((await child.chat(asks("Well?"))).text).toContain("fine");
});

test("a load tells what it goes onto before it begins, and then how the model runs", async () => {
  const replies: EngineReply[] = [];
  const options = { path: saying(), contextTokens: 1024, run: { ...usual, gpu: "auto" as const }, card: knownCard };
  const last = await child.send({ type: "load", options }, (reply) => replies.push(reply)).reply;
  expect(replies[0]).toMatchObject({ type: "begun", device: expect.any(String), trainedWindow: 8192 });
  expect(last).toMatchObject({
    type: "done",
    value: { window: 1024, device: expect.any(String), layers: expect.any(Number), memoryBytes: expect.any(Number) },
  });
});

test("a thread less is used when one is to be spared, and the card remembers the right number", async () => {
  const card = { ...knownCard, threads: 2 };
  const spared = await child.load({ path: saying(), card, sparedThreads: 1 });
  expect({ used: spared.threads, remembered: spared.card.threads }).toEqual({ used: 1, remembered: 2 });
  expect((await child.load({ path: saying(), card: knownCard, sparedThreads: 1 })).threads).toBe(1);
});

test("a child that only looks at a file does not read the library", async () => {
  const other = new EngineChild();
  await other.ask({ type: "inspect", path: saying() });
  const memory = async (one: EngineChild) => {
    const reply = await one.send({ type: "ping" }).reply;
    return reply.type === "pong" ? (reply.memoryBytes ?? 0) : 0;
  };
  expect(await memory(other)).toBeLessThan(0.8 * (await memory(child)));
  await other.stop();
});
