import { setTimeout as wait } from "node:timers/promises";
import type { Provider } from "../../src/main/providers/provider.ts";
import type { ModelEvent, ModelInfo } from "../../src/shared/inference.ts";

interface PacedOptions {
  /** The pieces of each answer; requests are counted from 0. */
  readonly answer: (request: number) => readonly string[];
  readonly perSecond: number;
}

const info: ModelInfo = {
  key: "paced-1",
  name: "Paced",
  window: 32_768,
  maxOutputTokens: 8192,
  toolLevel: "native",
  continues: "in-place",
  local: true,
  vision: false,
};

/**
 * A model whose words come at a set pace. A piece that is late is followed at once by those that are due, so that the
 * pace holds whatever the timers do. It keeps nothing of what it was asked: memory can be measured around it.
 */
export function pacedModel({ answer, perSecond }: PacedOptions): Provider {
  let requests = 0;

  async function* stream(_request: unknown, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const pieces = answer(requests++);
    const start = performance.now();
    for (const [index, text] of pieces.entries()) {
      const early = start + (index * 1000) / perSecond - performance.now();
      if (early > 0) await wait(early, undefined, { signal }).catch(() => undefined); // an abort is seen below
      if (signal.aborted) return yield { type: "finish", reason: "aborted" };
      yield { type: "text", text };
    }
    const decodeMs = performance.now() - start;
    const usage = { inputTokens: 900, reusedTokens: 800, outputTokens: pieces.length, firstTokenMs: 1, decodeMs };
    yield { type: "usage", usage };
    yield { type: "finish", reason: "stop" };
  }

  return {
    stream,
    open: async () => info,
    countTokens: async (texts) => texts.map((text) => Math.ceil(text.length / 4)),
    close: async () => undefined,
  };
}
