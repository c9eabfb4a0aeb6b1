import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";

/** Tiny GGUF models for tests: a byte level vocabulary, and weights that are random or follow a script. */
export interface GgufModel {
  readonly architecture?: string;
  readonly name?: string;
  readonly chatTemplate?: string;
  /** The window the file claims to be trained with. */
  readonly window?: number;
  readonly layers?: number;
  /** 0 makes llama.cpp abort. */
  readonly heads?: number;
  readonly width?: number;
  readonly feedForward?: number;
  readonly keyHeads?: number;
  /** Of all matrices. Other than f32 they are zeros that nobody writes, so that a large file costs nothing. */
  readonly type?: keyof typeof tensorTypes;
  /** Fillers are added up to so many tokens. */
  readonly vocabulary?: number;
  /** Tokens beside the 256 bytes and the control tokens. */
  readonly tokens?: readonly string[];
  /** A chain of tokens each: greedy decoding goes from one to the next. One token has one successor. */
  readonly script?: readonly (readonly string[])[];
  /** The token whose id is written as the beginning of a text. */
  readonly bos?: string;
  /** Whether the file asks for that token before every text. */
  readonly addBos?: boolean;
  readonly metadata?: readonly MetadataEntry[];
}

export type MetadataType = "u8" | "i8" | "u32" | "i32" | "f32" | "bool" | "string" | "array" | "u64";
export interface MetadataEntry {
  readonly key: string;
  readonly type: MetadataType;
  readonly value: MetadataValue;
  readonly items?: MetadataType;
}
type MetadataValue = number | bigint | string | boolean | readonly (number | string)[];

interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  fill(): Float32Array;
}

/** The id of a type, and elements and bytes of a block. */
const tensorTypes = {
  f32: [0, 1, 4],
  f16: [1, 1, 2],
  q4_0: [2, 32, 18],
  q8_0: [8, 32, 34],
  q4_K: [12, 256, 144],
  q6_K: [14, 256, 210],
} as const;

const typeIds: Record<MetadataType, number> = {
  u8: 0,
  i8: 1,
  u32: 4,
  i32: 5,
  f32: 6,
  bool: 7,
  string: 8,
  array: 9,
  u64: 10,
};
const alignment = 32;
const controlTokens = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];
const markerTokens = ["<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"];

/** GPT-2's printable stand-in for each byte. */
const byteLetters = ((): readonly string[] => {
  let spare = 256;
  const printable = (byte: number) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(printable(byte) ? byte : spare++));
})();

const asLetters = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byteLetters[byte]).join("");

/** A token of raw bytes, for characters that are split over several tokens. */
export const byteToken = (...bytes: number[]): string => `bytes:${bytes.join(",")}`;

const encodeToken = (token: string): string =>
  asLetters(token.startsWith("bytes:") ? Uint8Array.from(token.slice(6).split(","), Number) : Buffer.from(token));

/** Little endian bytes of a GGUF, piece by piece. Also for writing damaged ones by hand. */
export class GgufBytes {
  private readonly pieces: Buffer[] = [];
  length = 0;

  raw(bytes: Buffer): this {
    this.pieces.push(bytes);
    this.length += bytes.length;
    return this;
  }

  number(type: MetadataType, value: number | bigint): this {
    const bytes = Buffer.alloc(type === "u64" ? 8 : type === "u8" || type === "i8" || type === "bool" ? 1 : 4);
    if (type === "u64") bytes.writeBigUInt64LE(BigInt(value));
    else if (type === "f32") bytes.writeFloatLE(Number(value));
    else if (type === "i32") bytes.writeInt32LE(Number(value));
    else if (type === "u32") bytes.writeUInt32LE(Number(value));
    else bytes.writeUInt8(Number(value) & 255);
    return this.raw(bytes);
  }

  string(text: string): this {
    const bytes = Buffer.from(text);
    return this.number("u64", bytes.length).raw(bytes);
  }

  value(type: MetadataType, value: MetadataValue, items: MetadataType = "u32"): this {
    if (type === "string") return this.string(String(value));
    if (type !== "array") return this.number(type, typeof value === "bigint" ? value : Number(value));
    const list = value as readonly (number | string)[];
    this.number("u32", typeIds[items]).number("u64", list.length);
    for (const item of list) this.value(items, item);
    return this;
  }

  entry({ key, type, value, items }: MetadataEntry): this {
    return this.string(key).number("u32", typeIds[type]).value(type, value, items);
  }

  bytes(): Buffer {
    return Buffer.concat(this.pieces);
  }
}

/** Starts a GGUF: magic, version and the two counts. */
export const ggufStart = (tensors: number | bigint, entries: number | bigint, version = 3): GgufBytes =>
  new GgufBytes().raw(Buffer.from("GGUF")).number("u32", version).number("u64", tensors).number("u64", entries);

/** Writes a model of a few megabytes and returns its path. */
export function writeGguf(file: string, model: GgufModel = {}): string {
  const vocabulary = vocabularyOf(model);
  const tensors = tensorsOf(model, vocabulary);
  const entries = [...metadataOf(model, vocabulary), ...(model.metadata ?? [])];
  const header = ggufStart(tensors.length, entries.length);
  for (const entry of entries) header.entry(entry);
  const typeOf = ({ shape }: Tensor) => tensorTypes[shape.length > 1 ? (model.type ?? "f32") : "f32"];
  const offsets: number[] = [];
  let end = 0;
  for (const tensor of tensors) {
    const [type, elements, bytes] = typeOf(tensor);
    header.string(tensor.name).number("u32", tensor.shape.length);
    for (const size of tensor.shape) header.number("u64", size);
    header.number("u32", type).number("u64", end);
    offsets.push(end);
    end += padded((tensor.shape.reduce((product, size) => product * size, 1) / elements) * bytes);
  }
  header.raw(Buffer.alloc(padded(header.length) - header.length));
  const target = openSync(file, "w");
  writeSync(target, header.bytes());
  ftruncateSync(target, header.length + end);
  tensors.forEach((tensor, at) => {
    if (typeOf(tensor) !== tensorTypes.f32) return;
    writeSync(target, Buffer.from(tensor.fill().buffer), 0, undefined, header.length + (offsets[at] ?? 0));
  });
  closeSync(target);
  return file;
}

const padded = (bytes: number): number => Math.ceil(bytes / alignment) * alignment;

interface Vocabulary {
  readonly tokens: readonly string[];
  readonly types: readonly number[];
  idOf(token: string): number;
}

function vocabularyOf({ tokens = [], script = [], vocabulary = 0 }: GgufModel): Vocabulary {
  const types = new Map<string, number>();
  const special = new Set([...controlTokens, ...markerTokens]);
  const add = (token: string, type: number) => types.has(token) || types.set(token, type);
  for (const letter of byteLetters) add(letter, 1);
  for (const token of [...tokens, ...script.flat()]) if (!special.has(token)) add(encodeToken(token), 1);
  for (const token of controlTokens) add(token, 3);
  for (const token of markerTokens) add(token, 4);
  while (types.size < vocabulary) add(`filler${types.size}`, 1);
  const list = [...types.keys()];
  return {
    tokens: list,
    types: [...types.values()],
    idOf: (token) => list.indexOf(special.has(token) ? token : encodeToken(token)),
  };
}

function metadataOf(model: GgufModel, { tokens, types, idOf }: Vocabulary): MetadataEntry[] {
  const { architecture = "llama", name = "tiny", window = 8192, layers = 1, heads = 4, width = 256 } = model;
  const own = (key: string, value: number, type: MetadataType = "u32") => ({
    key: `${architecture}.${key}`,
    type,
    value,
  });
  const tokenizer = (key: string, type: MetadataType, value: MetadataValue, items?: MetadataType) => ({
    key: `tokenizer.${key}`,
    type,
    value,
    ...(items && { items }),
  });
  return [
    { key: "general.architecture", type: "string", value: architecture },
    { key: "general.name", type: "string", value: name },
    own("context_length", window),
    own("embedding_length", width),
    own("block_count", layers),
    own("feed_forward_length", model.feedForward ?? 64),
    own("attention.head_count", heads),
    own("attention.head_count_kv", model.keyHeads ?? 2),
    own("attention.layer_norm_rms_epsilon", 1e-5, "f32"),
    own("rope.dimension_count", width / (heads || 4)),
    own("vocab_size", tokens.length),
    tokenizer("ggml.model", "string", "gpt2"),
    tokenizer("ggml.pre", "string", "qwen2"),
    tokenizer("ggml.tokens", "array", tokens, "string"),
    tokenizer("ggml.token_type", "array", types, "i32"),
    tokenizer("ggml.merges", "array", [], "string"),
    tokenizer("ggml.bos_token_id", "u32", idOf(model.bos ?? "<|endoftext|>")),
    tokenizer("ggml.eos_token_id", "u32", idOf("<|im_end|>")),
    tokenizer("ggml.padding_token_id", "u32", idOf("<|endoftext|>")),
    tokenizer("ggml.add_bos_token", "bool", Number(model.addBos ?? false)),
    ...(model.chatTemplate === undefined ? [] : [tokenizer("chat_template", "string", model.chatTemplate)]),
  ];
}

/** A script makes attention and feed-forward say nothing, so that each token alone decides on the next. */
function tensorsOf(model: GgufModel, { tokens, idOf }: Vocabulary): Tensor[] {
  const { layers = 1, heads = 4, width = 256, feedForward = 64, keyHeads = 2, script } = model;
  const random = createRandom(7);
  const embedding = Float32Array.from({ length: width * tokens.length }, () => (random() < 0.5 ? -1 : 1));
  const keyWidth = (width / (heads || 4)) * keyHeads;
  const ones = () => new Float32Array(width).fill(1);
  const matrix = (rows: number, columns: number, silent = false) => ({
    shape: [rows, columns],
    fill: () => Float32Array.from({ length: rows * columns }, () => (silent ? 0 : (random() - 0.5) / Math.sqrt(rows))),
  });
  const output = () => {
    const weights = new Float32Array(width * tokens.length);
    for (const [from, to] of (script ?? []).flatMap((chain) => chain.slice(1).map((to, at) => [chain[at] ?? "", to]))) {
      const [source, target] = [idOf(from ?? ""), idOf(to ?? "")];
      for (let at = 0; at < width; at++) {
        const index = target * width + at;
        weights[index] = (weights[index] ?? 0) + (embedding[source * width + at] ?? 0) / 2;
      }
    }
    return weights;
  };
  const bias = (name: string, size: number) => ({
    name: `${name}.bias`,
    shape: [size],
    fill: () => new Float32Array(size),
  });
  const biases =
    model.architecture === "qwen2" ? [bias("attn_q", width), bias("attn_k", keyWidth), bias("attn_v", keyWidth)] : [];
  const norm = (name: string, size: number) => ({ name, shape: [size], fill: () => new Float32Array(size).fill(1) });
  const headWidth = width / (heads || 4);
  const norms =
    model.architecture === "gemma3"
      ? [
          norm("post_attention_norm", width),
          norm("attn_k_norm", headWidth),
          norm("attn_q_norm", headWidth),
          norm("post_ffw_norm", width),
        ]
      : [];
  return [
    { name: "token_embd.weight", shape: [width, tokens.length], fill: () => embedding },
    { name: "output_norm.weight", shape: [width], fill: ones },
    script
      ? { name: "output.weight", shape: [width, tokens.length], fill: output }
      : { name: "output.weight", ...matrix(width, tokens.length) },
    ...Array.from({ length: layers }, (_, layer) =>
      [
        { name: "attn_norm", shape: [width], fill: ones },
        { name: "attn_q", ...matrix(width, width) },
        { name: "attn_k", ...matrix(width, keyWidth) },
        { name: "attn_v", ...matrix(width, keyWidth) },
        ...biases,
        ...norms,
        { name: "attn_output", ...matrix(width, width, script !== undefined) },
        { name: "ffn_norm", shape: [width], fill: ones },
        { name: "ffn_gate", ...matrix(width, feedForward) },
        { name: "ffn_up", ...matrix(width, feedForward) },
        { name: "ffn_down", ...matrix(feedForward, width, script !== undefined) },
      ].map(({ name, ...rest }) => ({ name: `blk.${layer}.${name.includes(".") ? name : `${name}.weight`}`, ...rest })),
    ).flat(),
  ];
}

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
