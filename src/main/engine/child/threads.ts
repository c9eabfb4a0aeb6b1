import { cpus } from "node:os";
import type { Llama, LlamaContextSequence, LlamaModel } from "node-llama-cpp";

export interface Calibration {
  readonly threads: number;
  /** Decoded tokens a second with them. */
  readonly tokensPerSecond: number;
}

const budgetMs = 1_200;
const warmUpTokens = 2;
const measuredTokens = 10;
/** A gain smaller than this is not worth a core that something else could use. */
const worthwhile = 1.05;
/** Cores that may be missing: a core is never quite idle. */
const tolerance = 0.4;

/**
 * Finds how many threads decode fastest, by decoding: on a busy computer one thread too many is a hundred times slower,
 * so the number cannot be guessed. Takes about a second, and then leaves the library at the best number.
 */
export async function calibrateThreads(llama: Llama, model: LlamaModel, cores: number): Promise<Calibration> {
  const context = await model.createContext({ contextSize: 256, batchSize: 64, sequences: 1, threads: cores });
  const sequence = context.getSequence();
  const candidates = candidatesUpTo(cores);
  const begin = { time: performance.now(), idle: idleMs() };
  let best: Calibration = { threads: 1, tokensPerSecond: 0 };
  for (const threads of candidates) {
    // Trying them on busy cores takes seconds for a single token, and cannot be stopped.
    const freeCores = (idleMs() - begin.idle) / (performance.now() - begin.time);
    if (threads > 1 && threads > best.threads + freeCores + tolerance) break;
    llama.maxThreads = threads;
    const tokensPerSecond = await measure(sequence, budgetMs / candidates.length);
    if (tokensPerSecond < best.tokensPerSecond / worthwhile) break;
    if (tokensPerSecond > best.tokensPerSecond * worthwhile) best = { threads, tokensPerSecond };
  }
  await context.dispose();
  return best;
}

/** Milliseconds that all cores together have had nothing to do. */
const idleMs = (): number => cpus().reduce((sum, { times }) => sum + times.idle, 0);

/** 1, 2, 4 … and both all cores and all but one, in order. */
export function candidatesUpTo(cores: number): number[] {
  const doubled = Array.from({ length: Math.floor(Math.log2(cores)) + 1 }, (_, power) => 2 ** power);
  return [...new Set([...doubled, cores - 1, cores])].filter((count) => count > 0).sort((one, other) => one - other);
}

async function measure(sequence: LlamaContextSequence, limitMs: number): Promise<number> {
  await sequence.clearHistory();
  const prompt = sequence.model.tokenize("Once upon a time");
  const begin = performance.now();
  let tokens = 0;
  let start = begin;
  for await (const _ of sequence.evaluate(prompt, { yieldEogToken: true })) {
    tokens += 1;
    if (tokens === warmUpTokens) start = performance.now();
    if (tokens === warmUpTokens + measuredTokens || performance.now() - begin > limitMs) break;
  }
  // Too slow for a warm-up: what there is says enough.
  if (tokens <= warmUpTokens) return (tokens * 1000) / (performance.now() - begin);
  return ((tokens - warmUpTokens) * 1000) / (performance.now() - start);
}
