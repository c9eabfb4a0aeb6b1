import type { Usage } from "../../shared/message.ts";
import type { EngineState } from "../../shared/views.ts";
import type { Running } from "./launcher.ts";

/** Too few tokens say nothing about speed. */
const leastRead = 32;
const leastWritten = 8;

/** Tokens a second, as real requests were last read and answered. */
export interface Speeds {
  readonly readSpeed?: number;
  readonly writeSpeed?: number;
}

/** The speeds after one more answer. */
export function speedsAfter(speeds: Speeds, usage: Usage): Speeds {
  const { inputTokens, reusedTokens, outputTokens, firstTokenMs, decodeMs } = usage;
  const read = inputTokens - reusedTokens;
  return {
    ...speeds,
    ...(read >= leastRead && firstTokenMs > 0 && { readSpeed: (read * 1000) / firstTokenMs }),
    ...(outputTokens >= leastWritten && decodeMs > 0 && { writeSpeed: ((outputTokens - 1) * 1000) / decodeMs }),
  };
}

/** What a person is shown of the engine and of what it holds. */
export function stateOf(running: Running | undefined, speeds: Speeds): EngineState {
  if (!running?.process.isAlive) return { steps: [] };
  const { process, options, loaded, steps } = running;
  return {
    path: options.path,
    name: loaded.card.name,
    window: loaded.window,
    device: loaded.device,
    layersOnGpu: loaded.layersOnGpu,
    layers: loaded.layers,
    threads: loaded.threads,
    memoryBytes: process.memoryBytes ?? loaded.memoryBytes,
    ...speeds,
    steps,
  };
}

/** Tells at most once in `everyMs`: at once, and then the newest at the end of the wait. */
export class Teller {
  readonly #tell: () => void;
  readonly #everyMs: number;
  #wait: NodeJS.Timeout | undefined;
  #hasNews = false;

  constructor(tell: () => void, everyMs: number) {
    this.#tell = tell;
    this.#everyMs = everyMs;
  }

  news(): void {
    if (this.#wait) {
      this.#hasNews = true;
      return;
    }
    this.#tell();
    this.#wait = setTimeout(() => {
      this.#wait = undefined;
      if (!this.#hasNews) return;
      this.#hasNews = false;
      this.news();
    }, this.#everyMs);
    this.#wait.unref();
  }

  end(): void {
    clearTimeout(this.#wait);
    this.#hasNews = false;
  }
}
