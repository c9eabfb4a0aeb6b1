import type { MemoryParts } from "../../shared/views.ts";
import type { RunSettings } from "./protocol.ts";

/** What decides on the memory that a model takes, as its header says it. Counts are of numbers, not of bytes, where no unit is named. */
export interface ModelShape {
  /** Of the file, all parts. */
  readonly bytes: number;
  /** Bytes of weights that this computer's processor copies into an order of its own. */
  readonly repacked: number;
  readonly trainedWindow: number;
  readonly width: number;
  readonly feedForward: number;
  readonly heads: number;
  /** Tokens that it knows. */
  readonly vocabulary: number;
  /** Remembered of each token in the window. */
  readonly perToken: number;
  /** Remembered of each token by layers that look back only so far. */
  readonly slidingPerToken: number;
  readonly slidingWindow: number;
  /** Bytes that are remembered whatever the window. */
  readonly fixed: number;
}

export interface MemoryOptions extends Partial<Pick<RunSettings, "cacheType" | "flashAttention">> {
  readonly window: number;
}

/** Tokens that llama.cpp takes in at once at most, and that Lares gives it at once: fewer the slower it reads. */
const batchTokens = 512;
const readTokens = 256;
const slowlyReadTokens = 128;
/** Bytes of a number in the cache. */
const cacheBytes = { f16: 2, q8_0: 34 / 32 } as const;
const number = 4;
/** What a token of the vocabulary takes: its text, its rank and what is looked up by it, here and in the library. */
const bytesPerWord = 900;
/** What a model takes whatever its size. */
const least = 16 << 20;

/**
 * The memory that a model takes, measured from what the engine's process takes without one (local-models.md §3, §10.5).
 * A guess within a fifth; on a graphics card its weights and its cache are there and not here.
 */
export function memoryOf(shape: ModelShape, options: MemoryOptions): MemoryParts {
  const window = windowOf(shape, options.window);
  const sliding = Math.min(window, padded(shape.slidingWindow + batchTokens));
  const numbers = shape.perToken * window + shape.slidingPerToken * sliding;
  const perNumber = cacheBytes[options.cacheType ?? "f16"];
  const activations = readTokens * number * (3 * shape.feedForward + 8 * shape.width);
  // What each token makes of each one in the window: for all heads at once, or for one after the other.
  const scores = slowlyReadTokens * number * window * (options.flashAttention === "off" ? shape.heads : 1);
  return {
    weights: shape.bytes + shape.repacked,
    cache: Math.round(numbers * perNumber) + shape.fixed,
    compute: least + shape.vocabulary * bytesPerWord + activations + scores,
  };
}

export const sumOf = ({ weights, cache, compute }: MemoryParts): number => weights + cache + compute;

/** The window that a model is given when so much is wanted. */
export const windowOf = ({ trainedWindow }: ModelShape, wanted: number): number =>
  padded(Math.min(wanted, trainedWindow));

/** llama.cpp rounds windows up to this. */
const padded = (tokens: number): number => Math.ceil(tokens / 256) * 256;
