import { InsufficientMemoryError, type LlamaContext, type LlamaModel } from "node-llama-cpp";
import type { LoadOptions, RunSettings } from "../protocol.ts";

type CacheType = RunSettings["cacheType"];

const smallestWindow = 512;
const flashAttention = { auto: "auto", on: true, off: false } as const;
const typeNames = { f16: "F16", q8_0: "Q8_0" } as const;

/** A context of the window wanted, with the cache wanted where this model can have it, else with the usual one. */
export async function createContext(
  model: LlamaModel,
  options: LoadOptions,
  threads: number,
  signal: AbortSignal,
): Promise<{ context: LlamaContext; cacheType: CacheType }> {
  const { contextTokens, run } = options;
  const create = async (cacheType: CacheType) => ({
    cacheType,
    context: await model.createContext({
      // Larger than trained is created without complaint, and answers nonsense.
      contextSize: Math.max(
        Math.min(contextTokens, model.trainContextSize),
        Math.min(smallestWindow, model.trainContextSize),
      ),
      sequences: 1,
      threads,
      flashAttention: flashAttention[run?.flashAttention ?? "auto"],
      experimentalKvCacheKeyType: typeNames[cacheType],
      experimentalKvCacheValueType: typeNames[cacheType],
      createSignal: signal,
    }),
  });
  if (run?.cacheType !== "q8_0") return create("f16");
  try {
    return await create("q8_0");
  } catch (thrown) {
    if (signal.aborted || thrown instanceof InsufficientMemoryError) throw thrown;
    return create("f16"); // a smaller cache needs flash attention, and heads of a multiple of 32 numbers
  }
}
