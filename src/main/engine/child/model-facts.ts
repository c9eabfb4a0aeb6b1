import { statSync } from "node:fs";
import { arch } from "node:os";
import { basename } from "node:path";
import type { ModelShape } from "../memory.ts";
import type { FileFacts } from "../replies.ts";
import {
  checkModelFile,
  type GgufHeader,
  type HeaderEntries,
  type HeaderTensor,
  mostLayers,
  partsOf,
  readFileHeader,
} from "./gguf-header.ts";
import { fileTypes, repackedTypes } from "./gguf-types.ts";

/** What a model file says of itself. Only its header is read. Throws AppError that names the file. */
export function readFacts(path: string): FileFacts {
  const header = checkModelFile(path);
  const paths = partsOf(path, header.parts);
  const tensors = [header, ...paths.slice(1).map(readFileHeader)].flatMap((part) => part.tensors);
  const { architecture, entries, parts } = header;
  const bytes = paths.reduce((sum, part) => sum + statSync(part).size, 0);
  const parameters = tensors.reduce((sum, { elements }) => sum + elements, 0);
  const template = textAt(entries, "tokenizer.chat_template") ?? "";
  const quantisation = fileTypes[numberAt(entries, "general.file_type") ?? -1];
  const licence = textAt(entries, "general.license");
  return {
    path,
    name: textAt(entries, "general.name")?.slice(0, longestName) ?? basename(path).replace(/\.gguf$/i, ""),
    architecture,
    ...(quantisation && { quantisation }),
    parameters,
    trainedWindow: numberAt(entries, `${architecture}.context_length`) ?? 0,
    tools: /\btools\b/.test(template),
    thinking: /<think>|enable_thinking|reasoning_(content|effort)|thinking/i.test(template),
    ...(licence && { licence: licence.slice(0, longestName) }),
    bytes,
    parts,
    shape: shapeOf(header, tensors, bytes),
  };
}

const longestName = 200;

const textAt = (entries: HeaderEntries, key: string): string | undefined => {
  const value = entries.get(key);
  return typeof value === "string" && value !== "" ? value : undefined;
};

function numberAt(entries: HeaderEntries, key: string): number | undefined {
  const value = entries.get(key);
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

const lengthAt = (entries: HeaderEntries, key: string): number => {
  const value = entries.get(key);
  return typeof value === "object" ? value.length : 0;
};

/** A number for each layer, where one may stand for all. */
function layersAt(entries: HeaderEntries, key: string, layers: number): number[] | undefined {
  const value = entries.get(key);
  if (typeof value === "number") return Array.from({ length: layers }, () => value);
  const numbers = typeof value === "object" ? value.numbers : undefined;
  return numbers && Array.from({ length: layers }, (_, layer) => numbers[layer] ?? 0);
}

/** Every so many layers one looks back over the whole window, and the others only over a part of it. */
const slidingPatterns: Readonly<Record<string, number>> = {
  cohere2: 4,
  exaone4: 4,
  gemma2: 2,
  gemma3: 6,
  gemma3n: 5,
  "gpt-oss": 2,
  llama4: 4,
  olmo2: 4,
};

function shapeOf(header: GgufHeader, tensors: readonly HeaderTensor[], bytes: number): ModelShape {
  const { architecture, entries } = header;
  const own = (key: string) => numberAt(entries, `${architecture}.${key}`);
  const layers = Math.min(own("block_count") ?? 0, mostLayers);
  const largest = (key: string) => Math.max(0, ...(layersAt(entries, `${architecture}.${key}`, layers) ?? []));
  const sizes = { layers, width: own("embedding_length") ?? 0, heads: largest("attention.head_count") };
  return {
    bytes,
    repacked: repackedBytes(tensors),
    trainedWindow: own("context_length") ?? 0,
    width: sizes.width,
    feedForward: largest("feed_forward_length"),
    heads: sizes.heads,
    vocabulary: lengthAt(entries, "tokenizer.ggml.tokens"),
    ...cacheOf(header, sizes),
    fixed: stateBytes(own, layers),
  };
}

/** Numbers remembered of each token: by the layers that look back over everything, and by those that slide. */
function cacheOf(
  { architecture, entries }: GgufHeader,
  { layers, width, heads }: { layers: number; width: number; heads: number },
): Pick<ModelShape, "perToken" | "slidingPerToken" | "slidingWindow"> {
  const own = (key: string) => numberAt(entries, `${architecture}.${key}`);
  const usual = heads > 0 ? width / heads : 0;
  const compressed = own("attention.kv_lora_rank");
  const sizeOfHead = (own("attention.key_length") ?? usual) + (own("attention.value_length") ?? usual);
  const headsOf = layersAt(entries, `${architecture}.attention.head_count_kv`, layers);
  const slidingWindow = own("attention.sliding_window") ?? 0;
  const looksBackAt = fullLayers(architecture, entries, layers, slidingWindow);
  let [perToken, slidingPerToken] = [0, 0];
  for (let layer = 0; layer < layers; layer++) {
    const numbers =
      compressed === undefined
        ? (headsOf?.[layer] ?? heads) * sizeOfHead
        : compressed + (own("rope.dimension_count") ?? 0);
    if (looksBackAt(layer)) perToken += numbers;
    else slidingPerToken += numbers;
  }
  const every = own("full_attention_interval") ?? 1; // the layers between remember a fixed state
  return { perToken: perToken / Math.max(1, every), slidingPerToken, slidingWindow };
}

function fullLayers(
  architecture: string,
  entries: HeaderEntries,
  layers: number,
  slidingWindow: number,
): (layer: number) => boolean {
  const pattern = layersAt(entries, `${architecture}.attention.sliding_window_pattern`, layers);
  const listed = typeof entries.get(`${architecture}.attention.sliding_window_pattern`) === "object";
  if (slidingWindow === 0) return () => true;
  if (listed && pattern) return (layer) => pattern[layer] === 0;
  const every = pattern?.[0] ?? slidingPatterns[architecture];
  return every === undefined ? () => true : (layer) => layer % every === every - 1;
}

/** What a layer without attention remembers does not grow with the conversation. */
function stateBytes(own: (key: string) => number | undefined, layers: number): number {
  const inner = own("ssm.inner_size") ?? 0;
  return layers * inner * ((own("ssm.state_size") ?? 0) + (own("ssm.conv_kernel") ?? 0)) * 4;
}

function repackedBytes(tensors: readonly HeaderTensor[]): number {
  const types = repackedTypes[arch().startsWith("arm") ? "arm" : "other"];
  const hasOutput = tensors.some(({ name }) => name === "output.weight"); // else the embedding is used twice
  const isCopied = (name: string) => name !== "token_embd.weight" || !hasOutput;
  return tensors
    .filter(({ name, dimensions, type }) => dimensions > 1 && types.has(type) && isCopied(name))
    .reduce((sum, { bytes }) => sum + bytes, 0);
}
