import { getLlama, type Llama, LlamaLogLevel, type LlamaModelOptions } from "node-llama-cpp";
import type { LoadOptions, RunSettings } from "../protocol.ts";
import type { GgufHeader } from "./gguf-header.ts";
import { remember } from "./library-log.ts";

const starting = new Map<RunSettings["gpu"], Promise<Llama>>();

/** The library, with the graphics card it finds or without one. A build that is merely present may crash the process. */
export function startLlama(gpu: RunSettings["gpu"]): Promise<Llama> {
  const known = starting.get(gpu);
  if (known) return known;
  const start = getLlama({
    gpu: gpu === "auto" ? "auto" : false,
    build: "never",
    skipDownload: true,
    progressLogs: false,
    logLevel: LlamaLogLevel.warn,
    logger: (_level, message) => remember(message),
  });
  starting.set(gpu, start);
  start.catch(() => starting.delete(gpu)); // so that the next load tries again
  return start;
}

/** "CPU", or what the graphics card calls itself. */
export async function nameOfDevice(llama: Llama): Promise<string> {
  if (llama.gpu === false) return "CPU";
  const [name] = await llama.getGpuDeviceNames();
  return name ?? llama.gpu;
}

/** As many layers as fit beside the window, or a share of all of them when that was too many. */
export function gpuLayersFor(
  { contextTokens, gpuShare = 1 }: LoadOptions,
  { architecture, entries }: GgufHeader,
): NonNullable<LlamaModelOptions["gpuLayers"]> {
  const layers = entries.get(`${architecture}.block_count`);
  const fitContext = { contextSize: contextTokens };
  if (gpuShare >= 1 || typeof layers !== "number") return { fitContext };
  return { max: Math.floor(layers * gpuShare), fitContext };
}
