import type { EngineState } from "../../shared/views.ts";
import type { Loaded, LoadOptions } from "./protocol.ts";

export type LadderStep = EngineState["steps"][number];

/** One way to run a model: a share of its layers on the graphics card, and a window. */
export interface Rung {
  readonly gpuShare: number;
  readonly contextTokens: number;
}

/** How a try went wrong: there was not enough memory, or the child died with a graphics card in use. */
export type Setback = "memory" | "gpu-crash";

const shares = [1, 0.5, 0.25, 0];
const smallestWindow = 2048;
const saferWindow = 2048;

/** The ways to run a model, the one that is wanted first: each gives up a little more. */
export function rungsOf({ run, contextTokens }: LoadOptions, trainedWindow = contextTokens): Rung[] {
  const onCard = run?.gpu === "auto" ? shares : [0];
  const windows: number[] = [];
  const most = Math.min(contextTokens, trainedWindow);
  for (let tokens = Math.floor(most / 2); tokens >= smallestWindow; tokens = Math.floor(tokens / 2))
    windows.push(tokens);
  return [
    ...onCard.map((gpuShare) => ({ gpuShare, contextTokens })),
    ...windows.map((tokens) => ({ gpuShare: 0, contextTokens: tokens })),
  ];
}

/** The next rung worth a try, if there is one. `onGpu`: the try that failed had a graphics card. */
export function nextRung(rungs: readonly Rung[], { gpuShare, contextTokens }: Rung, setback: Setback, onGpu: boolean) {
  return rungs.find((rung) => {
    if (setback === "gpu-crash") return rung.gpuShare === 0;
    if (onGpu) return rung.gpuShare < gpuShare;
    return rung.gpuShare === 0 && rung.contextTokens < contextTokens; // without a card, a share of it changes nothing
  });
}

/** The options of a load on one rung. Without a share of the card its driver is not even started. */
export const onRung = (options: LoadOptions, { gpuShare, contextTokens }: Rung): LoadOptions => ({
  ...options,
  contextTokens,
  ...(options.run && { run: { ...options.run, gpu: gpuShare === 0 ? "off" : options.run.gpu }, gpuShare }),
});

/** The settings for a model that crashed: all that is known to crash one is left out. */
export const saferOptions = (options: LoadOptions): LoadOptions => ({
  ...options,
  contextTokens: Math.min(options.contextTokens, saferWindow),
  run: { gpu: "off", flashAttention: "auto", cacheType: "f16", thinking: options.run?.thinking ?? "auto" },
  sparedThreads: 1,
});

/** What of the wanted options a model does without. `hasGpu`: this computer has a graphics card that was tried. */
export function stepsOf(wanted: LoadOptions, loaded: Loaded, hasGpu: boolean): LadderStep[] {
  const { layers, layersOnGpu, window, card } = loaded;
  const wantsGpu = wanted.run?.gpu === "auto" && (hasGpu || loaded.gpuMemory !== undefined);
  const steps: LadderStep[] = [];
  if (wantsGpu && layersOnGpu > 0 && layersOnGpu < layers) steps.push("fewer-layers");
  if (wantsGpu && layersOnGpu === 0) steps.push("cpu");
  if (window < Math.min(wanted.contextTokens, card.trainedWindow)) steps.push("smaller-window");
  return steps;
}
