import { stat } from "node:fs/promises";
import type { Settings } from "../../shared/settings.ts";
import type { MemoryParts, ModelFacts } from "../../shared/views.ts";
import { memoryOf, sumOf } from "../engine/memory.ts";
import type { FileFacts } from "../engine/replies.ts";
import type { ModelEntry } from "./catalogue.ts";
import { type Computer, type Fit, fitOf, guessedMemory, largestWindow } from "./fit.ts";
import type { Weight } from "./model-cards.ts";

export interface ScaleOptions {
  /** Reads a file's header in a process that may die of it. Throws AppError. */
  readonly inspect: (path: string) => Promise<FileFacts>;
  readonly settings: () => Settings;
  readonly computer: () => Computer;
}

/** Says what a model takes of this computer: exactly for a file that was looked into, on the safe side for all others. */
export interface Scale {
  weigh(path: string, bytes: number, entry: ModelEntry | undefined): Promise<Weight>;
  /** Of a file that is not here. */
  guess(bytes: number): { memory: MemoryParts; fit: Fit };
  /** Looks into a file that is here. Throws AppError (model-invalid, model-unsupported, …). */
  explain(path: string): Promise<ModelFacts>;
}

export function createScale({ inspect, settings, computer }: ScaleOptions): Scale {
  const looked = new Map<string, FileFacts>();

  function weightOf({ shape }: FileFacts): Omit<Weight, "memoryBytes"> {
    const { contextTokens: window, cacheType, flashAttention } = settings();
    const memory = memoryOf(shape, { window, cacheType, flashAttention });
    const largest = largestWindow(shape, { cacheType, flashAttention }, computer());
    return { memory, fit: fitOf(memory, computer()), largestWindow: largest };
  }

  function guess(bytes: number, known?: ModelEntry["memory"]): Omit<Weight, "memoryBytes"> {
    const memory = guessedMemory(bytes, settings().contextTokens, known);
    return { memory, fit: fitOf(memory, computer()), largestWindow: guessedWindow(bytes, known, computer()) };
  }

  return {
    async weigh(path, bytes, entry) {
      const facts = looked.get(await identityOf(path));
      const weight = facts ? weightOf(facts) : guess(bytes, entry?.memory);
      return { ...weight, memoryBytes: sumOf(weight.memory) };
    },
    guess: (bytes) => guess(bytes),
    async explain(path) {
      const identity = await identityOf(path);
      const facts = looked.get(identity) ?? (await inspect(path));
      looked.set(identity, facts);
      const { shape: _inside, ...told } = facts;
      return { ...told, ...weightOf(facts) };
    },
  };
}

/** What people choose windows of. */
const windows = [131_072, 65_536, 32_768, 16_384, 8192, 4096, 2048, 1024];

/** The largest of the usual windows with which a model that nobody has looked into is not too big; 0: none is. */
function guessedWindow(bytes: number, known: ModelEntry["memory"], computer: Computer): number {
  const most = known?.trainedTokens ?? 8192;
  const fits = (window: number) => fitOf(guessedMemory(bytes, window, known), computer) !== "too-big";
  return windows.map((window) => Math.min(window, most)).find(fits) ?? 0;
}

/** Another size or time of change is another file. */
const identityOf = (path: string): Promise<string> =>
  stat(path).then(
    ({ size, mtimeMs }) => `${path} ${size} ${mtimeMs}`,
    () => "",
  );
