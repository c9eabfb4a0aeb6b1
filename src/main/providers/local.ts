import type { ToolLevel } from "../../shared/inference.ts";
import type { Engine } from "../engine/keeper.ts";
import type { LoadOptions } from "../engine/protocol.ts";
import { monotonicMs } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Provider } from "./provider.ts";

export interface LocalOptions {
  /** May be shared: each request names its model, and another one's is loaded when its turn comes. */
  readonly engine: Engine;
  /** A GGUF file. */
  readonly path: string;
  /** What people know it as; without one, what the file calls itself. */
  readonly name?: string | undefined;
  /** The window wanted; the model's own may be smaller. */
  readonly contextTokens: number;
  /** The person's choice, above what was found of the file. */
  readonly toolLevel?: ToolLevel;
  readonly log: Log;
}

/** The most a local model says at once: small ones ramble, and the window is small. */
const mostOutputTokens = 1024;

/** A model file on this computer, answered by llama.cpp in the engine's own process. */
export function createLocalProvider({ engine, path, name, contextTokens, toolLevel, log }: LocalOptions): Provider {
  const model: LoadOptions = { path, contextTokens, ...(toolLevel && { toolLevel }) };
  return {
    async open(signal, onProgress) {
      const start = monotonicMs();
      const { card, window } = await engine.load(model, signal, onProgress);
      log.info("model.opened", { key: card.key, window, ms: Math.round(monotonicMs() - start) });
      return {
        key: card.key,
        name: name ?? card.name,
        window,
        maxOutputTokens: Math.min(mostOutputTokens, Math.floor(window / 4)),
        toolLevel: toolLevel ?? card.toolLevel,
        parameters: card.parameters,
        continues: "in-place",
        local: true,
      };
    },
    countTokens: (texts) => engine.count(texts, model),
    stream: (request, signal) => engine.chat(request, signal, model),
    close: () => engine.unload(path),
  };
}
