import type { ModelCard } from "../../shared/views.ts";
import type { ModelEntry } from "./catalogue.ts";

const MEBIBYTE = 2 ** 20;

/** What a model will take of the memory with a window of so many tokens, in bytes. Without figures of its own: a guess on the safe side. */
export function memoryNeeded(bytes: number, memory: ModelEntry["memory"], contextTokens: number): number {
  if (!memory) return Math.round(bytes * 1.2 + 256 * MEBIBYTE);
  const window = Math.min(contextTokens, memory.trainedTokens);
  return Math.round((bytes + memory.bytesPerToken * window) * 1.1);
}

/** How a model goes together with what else runs on a computer that has `total` bytes of memory. */
export function fitOf(needed: number, total: number): ModelCard["fit"] {
  if (needed <= 0.6 * total) return "well";
  return needed <= 0.85 * total ? "tight" : "too-big";
}
