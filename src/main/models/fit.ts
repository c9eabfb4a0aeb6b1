import type { MemoryParts, ModelCard } from "../../shared/views.ts";
import { type MemoryOptions, type ModelShape, memoryOf, sumOf, windowOf } from "../engine/memory.ts";

export type Fit = ModelCard["fit"];

/** What there is to run a model on, in bytes. */
export interface Computer {
  readonly total: number;
  /** What a model could take now; one that is loaded already counts as free. Absent: nobody looked. */
  readonly free?: number;
  /** Of the graphics card, once the engine has seen one. */
  readonly gpu?: { readonly total: number; readonly free: number } | undefined;
}

const MEBIBYTE = 2 ** 20;
const smallestWindow = 512;
/** What the engine's process takes without a model, looking for a graphics card included. */
const engineItself = 160 * MEBIBYTE;
/** Parts of the memory: more of it, and other programs have to make room; still more, and the computer stands still. */
const comfortable = 0.6;
const bearable = 0.85;
/** Of a graphics card, beside what its driver and the screen need. */
const ofTheCard = 0.9;

/** How a model that takes so much goes together with what else runs on a computer. */
export function fitOf(memory: MemoryParts, { total, free = total, gpu }: Computer): Fit {
  const needed = sumOf(memory);
  if (gpu && needed <= ofTheCard * gpu.total) return "well";
  const taken = needed + engineItself;
  if (taken <= comfortable * total && taken <= free) return "well";
  return taken <= bearable * total ? "tight" : "too-big";
}

/** The largest window, in steps of 256 tokens, with which a model is not too big; 0: there is none. */
export function largestWindow(
  shape: ModelShape,
  options: Omit<MemoryOptions, "window">,
  computer: Omit<Computer, "free">,
): number {
  const fits = (window: number) => fitOf(memoryOf(shape, { ...options, window }), computer) !== "too-big";
  const most = windowOf(shape, shape.trainedWindow);
  if (fits(most)) return shape.trainedWindow;
  let [low, high] = [0, Math.floor(most / 256)]; // the first fits or is nothing, the last does not fit
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle * 256)) low = middle;
    else high = middle;
  }
  return low * 256 >= Math.min(smallestWindow, most) ? low * 256 : 0;
}

/** The memory of a model that is not here: from the size of its file and, where it is known, what its cache takes. On the safe side. */
export function guessedMemory(
  bytes: number,
  window: number,
  known?: { readonly bytesPerToken: number; readonly trainedTokens: number },
): MemoryParts {
  const compute = Math.round(bytes * 0.1 + 96 * MEBIBYTE);
  if (!known) return { weights: bytes, cache: Math.round(bytes * 0.1 + 96 * MEBIBYTE), compute };
  return { weights: bytes, cache: known.bytesPerToken * Math.min(window, known.trainedTokens), compute };
}
