import type { LlamaContextSequence, Token } from "node-llama-cpp";
import type { ThreadGuard } from "./thread-guard.ts";

/** Tokens a second, as last measured; 0 before. */
export interface ReadingPace {
  tokensPerSecond: number;
}

export interface ReadingOptions {
  readonly pace: ReadingPace;
  readonly guard: Pick<ThreadGuard, "read">;
  readonly signal: AbortSignal;
  /** `done` and `reused` of the prompt's tokens are in the model's memory. */
  progress(done: number, reused: number): void;
}

/** Tokens a second from which on a large chunk is over within half a second: so long a stop may take. */
const fastPace = 550;
const smallChunk = 64;
const largeChunk = 256;

/**
 * Reads a prompt into the sequence, all but its last token, and keeps what is there already. In chunks, because the
 * library can only stop between them. Returns how many tokens were kept.
 */
export async function readPrompt(
  sequence: LlamaContextSequence,
  tokens: readonly Token[],
  { pace, guard, signal, progress }: ReadingOptions,
): Promise<number> {
  const wanted = tokens.slice(0, -1);
  await sequence.adaptStateToTokens(wanted, false);
  const reused = sequence.nextTokenIndex;
  let done = reused;
  while (done < wanted.length && !signal.aborted) {
    progress(done, reused);
    const chunk = wanted.slice(done, done + (pace.tokensPerSecond < fastPace ? smallChunk : largeChunk));
    const start = performance.now();
    await sequence.evaluateWithoutGeneratingNewTokens(chunk);
    const ms = performance.now() - start;
    guard.read(chunk.length, ms);
    if (chunk.length >= smallChunk) pace.tokensPerSecond = (chunk.length * 1000) / ms;
    done += chunk.length;
  }
  if (done > reused && !signal.aborted) progress(tokens.length, reused);
  return reused;
}
