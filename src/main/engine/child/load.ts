import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, resolve } from "node:path";
import type { ChatWrapper, Llama, LlamaContextSequence, LlamaModel } from "node-llama-cpp";
import { AppError } from "../../../shared/errors.ts";
import type { ToolLevel } from "../../../shared/inference.ts";
import { monotonicMs } from "../../lib/clock.ts";
import { sparing } from "../../lib/progress.ts";
import type { Loaded, LoadOptions, ModelCard } from "../protocol.ts";
import { createContext } from "./context.ts";
import { checkModelFile } from "./gguf-header.ts";
import { gpuLayersFor, nameOfDevice, startLlama } from "./llama.ts";
import { explainLoadError } from "./load-errors.ts";
import type { ReadingPace } from "./prefill.ts";
import { createThreadGuard, type ThreadGuard } from "./thread-guard.ts";
import { calibrateThreads } from "./threads.ts";
import { findWrapper, knowsTools, mustDropBos, quiet } from "./wrapper.ts";

/** What is told while a model loads. */
export interface LoadNews {
  progress(done: number, total: number): void;
  /** Before the first weights: "CPU" or the name of the graphics card, and the longest window the model knows. */
  begun(device: string, trainedWindow: number): void;
}

/** A model in memory, with the one sequence that all its chats take turns on. */
export interface Engine extends Pick<Loaded, "card" | "window"> {
  readonly loaded: Omit<Loaded, "memoryBytes">;
  readonly llama: Llama;
  readonly model: LlamaModel;
  readonly sequence: LlamaContextSequence;
  readonly wrapper: ChatWrapper;
  readonly dropBos: boolean;
  readonly pace: ReadingPace;
  readonly guard: ThreadGuard;
}

/** Below this a model cannot be trusted to choose among tools, even when grammar holds it to their form. */
const fewestParametersToChoose = 1e9;
const checkpoints = { max: 6, interval: 4096, maxMemory: 512 << 20 };

/** Loads a model, by what its card remembers of it if there is one. Throws AppError, which names the file and the next step. */
export async function loadEngine(options: LoadOptions, tell: LoadNews, signal: AbortSignal): Promise<Engine> {
  const header = checkModelFile(options.path);
  const { size } = statSync(options.path);
  const progress = sparing(tell.progress, monotonicMs); // the library has a word for every tensor
  let model: LlamaModel | undefined;
  try {
    const llama = await startLlama(options.run?.gpu ?? "off");
    tell.begun(
      await nameOfDevice(llama),
      Number(header.entries.get(`${header.architecture}.context_length`) ?? 0) || 0,
    );
    model = await llama.loadModel({
      modelPath: options.path,
      gpuLayers: gpuLayersFor(options, header),
      loadSignal: signal,
      onLoadProgress: (part) => progress(Math.round(part * size), size),
    });
    return await openModel(llama, model, options, signal);
  } catch (thrown) {
    await model?.dispose();
    throw await explainLoadError(thrown, options.path, signal);
  }
}

async function openModel(llama: Llama, model: LlamaModel, options: LoadOptions, signal: AbortSignal): Promise<Engine> {
  const found = findWrapper(model, options.card?.wrapper);
  const wrapper = options.run?.thinking === "off" ? quiet(found.wrapper) : found.wrapper;
  signal.throwIfAborted();
  llama.maxThreads = availableParallelism();
  const cores = Math.min(llama.cpuMathCores, llama.maxThreads);
  const speed = options.card ?? (await calibrateThreads(llama, model, cores));
  signal.throwIfAborted();
  const threads = Math.max(1, speed.threads - (options.sparedThreads ?? 0));
  const { context, cacheType } = await createContext(model, options, threads, signal);
  const window = context.contextSize;
  const place = await placeOf(llama, model);
  const card: ModelCard = {
    key: keyOf(options.path, found.name, window),
    name: model.fileInfo.metadata.general.name ?? basename(options.path),
    architecture: model.architecture,
    parameters: model.fileInsights.totalParameters,
    trainedWindow: model.trainContextSize,
    wrapper: found.name,
    threads: speed.threads,
    tokensPerSecond: speed.tokensPerSecond,
    toolLevel: options.toolLevel ?? options.card?.toolLevel ?? usualLevel(model, wrapper),
  };
  const { flashAttention = "auto" } = options.run ?? {};
  const stateKey = hashOf([card.key, llama.llamaCppRelease.release, cacheType, flashAttention, place.device]);
  return {
    card,
    window,
    loaded: { card, window, threads, cacheType, ...place, stateKey },
    llama,
    model,
    wrapper,
    sequence: context.getSequence({ checkpoints, contextShift: { strategy: refuseShift } }),
    dropBos: mustDropBos(model, wrapper),
    pace: { tokensPerSecond: 0 },
    guard: createThreadGuard(llama, { ...speed, threads }),
  };
}

/** Where the model's layers are. */
async function placeOf(llama: Llama, model: LlamaModel) {
  const { gpuLayers, fileInsights } = model;
  const place = { layers: fileInsights.totalLayers, layersOnGpu: gpuLayers };
  if (llama.gpu === false) return { ...place, device: "CPU" };
  const { total, free } = await llama.getVramState();
  return { ...place, device: gpuLayers > 0 ? await nameOfDevice(llama) : "CPU", gpuMemory: { total, free } };
}

/** The library would drop the beginning of the conversation without a word. */
function refuseShift(): never {
  throw new AppError("context-overflow", "The model's window is full. Start a new chat, or choose a larger window.");
}

const usualLevel = (model: LlamaModel, wrapper: ChatWrapper): ToolLevel => {
  if (knowsTools(wrapper)) return "native";
  return model.fileInsights.totalParameters >= fewestParametersToChoose ? "forced" : "named";
};

/** Changes with everything that gives a raw spelling its meaning. */
function keyOf(path: string, wrapper: string, window: number): string {
  const { size, mtimeMs } = statSync(path);
  return hashOf([resolve(path), size, mtimeMs, wrapper, window]);
}

const hashOf = (facts: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 32);
