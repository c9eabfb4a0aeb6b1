import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, resolve } from "node:path";
import {
  type ChatWrapper,
  getLlama,
  type Llama,
  type LlamaContext,
  type LlamaContextSequence,
  LlamaLogLevel,
  type LlamaModel,
} from "node-llama-cpp";
import { AppError } from "../../../shared/errors.ts";
import type { ToolLevel } from "../../../shared/inference.ts";
import { monotonicMs } from "../../lib/clock.ts";
import { sparing } from "../../lib/progress.ts";
import type { Loaded, LoadOptions, ModelCard } from "../protocol.ts";
import { checkModelFile } from "./gguf-header.ts";
import { remember } from "./library-log.ts";
import { explainLoadError } from "./load-errors.ts";
import type { ReadingPace } from "./prefill.ts";
import { createThreadGuard, type ThreadGuard } from "./thread-guard.ts";
import { calibrateThreads } from "./threads.ts";
import { findWrapper, knowsTools, mustDropBos } from "./wrapper.ts";

/** A model in memory, with the one sequence that all its chats take turns on. */
export interface Engine extends Loaded {
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
const smallestWindow = 512;
const checkpoints = { max: 6, interval: 4096, maxMemory: 512 << 20 };

/** Loads a model, by what its card remembers of it if there is one. Throws AppError, which names the file and the next step. */
export async function loadEngine(
  options: LoadOptions,
  progress: (done: number, total: number) => void,
  signal: AbortSignal,
): Promise<Engine> {
  checkModelFile(options.path);
  const { size } = statSync(options.path);
  const tell = sparing(progress, monotonicMs); // the library has a word for every tensor
  let model: LlamaModel | undefined;
  try {
    const llama = await startLlama();
    model = await llama.loadModel({
      modelPath: options.path,
      loadSignal: signal,
      onLoadProgress: (part) => tell(Math.round(part * size), size),
    });
    return await openModel(llama, model, options, signal);
  } catch (thrown) {
    await model?.dispose();
    throw await explainLoadError(thrown, options.path, signal);
  }
}

let starting: Promise<Llama> | undefined;

/** The one place that decides on the GPU: none for now. A build that is merely present may still crash the process. */
function startLlama(): Promise<Llama> {
  starting ??= getLlama({
    gpu: false,
    build: "never",
    skipDownload: true,
    progressLogs: false,
    logLevel: LlamaLogLevel.warn,
    logger: (_level, message) => remember(message),
  });
  starting.catch(() => {
    starting = undefined; // so that the next load tries again
  });
  return starting;
}

async function openModel(llama: Llama, model: LlamaModel, options: LoadOptions, signal: AbortSignal): Promise<Engine> {
  const { wrapper, name } = findWrapper(model, options.card?.wrapper);
  signal.throwIfAborted();
  llama.maxThreads = availableParallelism();
  const cores = Math.min(llama.cpuMathCores, llama.maxThreads);
  const speed = options.card ?? (await calibrateThreads(llama, model, cores));
  signal.throwIfAborted();
  const context = await createContext(model, options, speed.threads, signal);
  const window = context.contextSize;
  const card: ModelCard = {
    key: keyOf(options.path, name, window),
    name: model.fileInfo.metadata.general.name ?? basename(options.path),
    architecture: model.architecture,
    parameters: model.fileInsights.totalParameters,
    trainedWindow: model.trainContextSize,
    wrapper: name,
    threads: speed.threads,
    tokensPerSecond: speed.tokensPerSecond,
    toolLevel: options.toolLevel ?? options.card?.toolLevel ?? usualLevel(model, wrapper),
  };
  return {
    card,
    window,
    llama,
    model,
    wrapper,
    sequence: context.getSequence({ checkpoints, contextShift: { strategy: refuseShift } }),
    dropBos: mustDropBos(model, wrapper),
    pace: { tokensPerSecond: 0 },
    guard: createThreadGuard(llama, speed),
  };
}

const createContext = (
  model: LlamaModel,
  { contextTokens }: LoadOptions,
  threads: number,
  createSignal: AbortSignal,
): Promise<LlamaContext> =>
  model.createContext({
    // Larger than trained is created without complaint, and answers nonsense.
    contextSize: Math.max(
      Math.min(contextTokens, model.trainContextSize),
      Math.min(smallestWindow, model.trainContextSize),
    ),
    sequences: 1,
    threads,
    createSignal,
  });

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
  return createHash("sha256")
    .update(JSON.stringify([resolve(path), size, mtimeMs, wrapper, window]))
    .digest("hex")
    .slice(0, 32);
}
