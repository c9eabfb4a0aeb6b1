import { expect, test } from "vitest";
import { scriptedProvider } from "../../../tests/support/scripted-provider.ts";
import type { ModelInfo } from "../../shared/inference.ts";
import { createTokenCounts, estimateTokens } from "./tokens.ts";

const info = { key: "a" } as ModelInfo;

/** A tokenizer that remembers what it was asked. */
function aTokenizer(tokensOf = (text: string) => text.length) {
  const asked: string[][] = [];
  const provider = {
    ...scriptedProvider(),
    countTokens: async (texts: readonly string[]) => {
      asked.push([...texts]);
      return texts.map(tokensOf);
    },
  };
  return { provider, asked };
}

test("a text is counted once by the model's own tokenizer, and for each model anew", async () => {
  const { provider, asked } = aTokenizer();
  const counts = createTokenCounts();
  expect(await counts.count(provider, info, ["one", "three", "one"])).toEqual([3, 5, 3]);
  expect(await counts.count(provider, info, ["three", "four"])).toEqual([5, 4]);
  await counts.count(provider, { ...info, key: "b" }, ["one"]);
  expect(asked).toEqual([["one", "three"], ["four"], ["one"]]);
});

test("where the tokenizer fails the estimate errs towards too many, also for Chinese and emoji", async () => {
  const { provider } = aTokenizer(() => {
    throw new Error("gone");
  });
  expect(await createTokenCounts().count(provider, info, ["hello world, how are you?"])).toEqual([9]);
  expect(estimateTokens("你好世界")).toBe(4);
  expect(estimateTokens("👨‍👩‍👧")).toBeGreaterThanOrEqual(6);
});

test("a message costs its parts and what the template adds, tool calls included", async () => {
  const { provider } = aTokenizer();
  const count = createTokenCounts().messages(provider, info);
  const [words = 0, call = 0] = await count([
    { role: "user", parts: [{ type: "text", text: "12345" }] },
    { role: "assistant", parts: [{ type: "tool-call", id: "c", name: "look", input: { path: "a" } }] },
  ]);
  expect(words).toBe(13);
  expect(call).toBe('look {"path":"a"}'.length + 8);
});
