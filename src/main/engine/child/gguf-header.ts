import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { basename } from "node:path";
import { AppError } from "../../../shared/errors.ts";
import { type ByteSource, HeaderCursor } from "./header-cursor.ts";

export interface GgufHeader {
  readonly architecture: string;
  /** Bytes the file must have to hold all its tensors. */
  readonly expectedSize: number;
  /** Parts the model was split into; 1 when it is whole. */
  readonly parts: number;
}

type Scalar = number | string | undefined;

const valueTypes = [
  "u8",
  "i8",
  "u16",
  "i16",
  "u32",
  "i32",
  "f32",
  "bool",
  "string",
  "array",
  "u64",
  "i64",
  "f64",
] as const;
type ValueType = (typeof valueTypes)[number];

const valueBytes: Record<Exclude<ValueType, "array">, number> = {
  u8: 1,
  i8: 1,
  u16: 2,
  i16: 2,
  u32: 4,
  i32: 4,
  f32: 4,
  bool: 1,
  string: 8, // its length; the text comes on top
  u64: 8,
  i64: 8,
  f64: 8,
};

/** Keys that llama.cpp reads without looking at their type first. */
const expectedTypes: Readonly<Record<string, readonly string[]>> = {
  "general.architecture": ["string"],
  "general.alignment": ["u32"],
  "tokenizer.ggml.model": ["string"],
  "tokenizer.ggml.tokens": ["string[]"],
  "tokenizer.ggml.merges": ["string[]"],
  "tokenizer.ggml.scores": ["f32[]"],
  "tokenizer.ggml.token_type": ["i32[]", "u32[]"],
  "tokenizer.chat_template": ["string"],
};

/** Elements in a block and bytes of a block, by ggml's type id. A type that is not here is left to llama.cpp. */
const tensorBlocks: Readonly<Record<number, readonly [elements: number, bytes: number]>> = {
  0: [1, 4],
  1: [1, 2],
  2: [32, 18],
  3: [32, 20],
  6: [32, 22],
  7: [32, 24],
  8: [32, 34],
  9: [32, 36],
  10: [256, 84],
  11: [256, 110],
  12: [256, 144],
  13: [256, 176],
  14: [256, 210],
  15: [256, 292],
  16: [256, 66],
  17: [256, 74],
  18: [256, 98],
  19: [256, 50],
  20: [32, 18],
  21: [256, 110],
  22: [256, 82],
  23: [256, 136],
  24: [1, 1],
  25: [1, 2],
  26: [1, 4],
  27: [1, 8],
  28: [1, 8],
  29: [256, 56],
  30: [1, 2],
  34: [256, 54],
  35: [256, 66],
  39: [32, 17],
};

const newestVersion = 3;
const mostLayers = 1024;
const mostBytes = 2 ** 50;
const smallestEntry = 13; // a key's length, a value's type, a value of one byte
const smallestTensor = 24; // a name's length, a count of dimensions, a type, an offset

/** Looks at a model file before llama.cpp does, which aborts the process on some damage. Throws AppError that names the file. */
export function checkModelFile(path: string): GgufHeader {
  const name = basename(path);
  const file = openModel(path, name);
  try {
    const size = fstatSync(file).size;
    const read = (position: number, length: number) => {
      const bytes = Buffer.alloc(Math.min(length, size - position));
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, position));
    };
    const header = readGgufHeader({ size, read }, name);
    checkParts(path, name, header.parts);
    return header;
  } finally {
    closeSync(file);
  }
}

function openModel(path: string, name: string): number {
  try {
    // Opening a pipe would wait for somebody to write into it.
    if (statSync(path).isFile()) return openSync(path, "r");
  } catch (cause) {
    throw new AppError("model-missing", `The model file ${name} cannot be opened. Choose or download a model.`, cause);
  }
  throw new AppError("model-invalid", `${name} cannot be used: it is not a file. Choose another one.`);
}

/** Reads and checks a header; `name` is what the messages call the file. Throws AppError (model-invalid, model-unsupported). */
export function readGgufHeader(source: ByteSource, name: string): GgufHeader {
  const cursor = new HeaderCursor(source, name);
  checkStart(source, cursor);
  const tensors = cursor.count("tensors", smallestTensor);
  const entries = readEntries(cursor, cursor.count("entries", smallestEntry));
  const architecture = entries.get("general.architecture");
  if (typeof architecture !== "string" || architecture === "")
    throw cursor.invalid("it does not say what kind of model it is");
  const layers = entries.get(`${architecture}.block_count`);
  if (typeof layers === "number" && layers > mostLayers) throw cursor.invalid(`it claims ${layers} layers`);
  const alignment = alignmentOf(entries, cursor);
  const end = endOfTensors(cursor, tensors, alignment);
  const expectedSize = Math.ceil(cursor.position / alignment) * alignment + end;
  const missing = expectedSize - source.size;
  if (missing > 0)
    throw cursor.invalid(`${missing} of its ${expectedSize} bytes are missing, so its download did not finish`);
  const parts = entries.get("split.count");
  return { architecture, expectedSize, parts: typeof parts === "number" && parts > 1 ? parts : 1 };
}

function checkStart({ size, read }: ByteSource, cursor: HeaderCursor): void {
  if (size === 0) throw cursor.invalid("it is empty (0 bytes)");
  const start = Buffer.from(read(0, 512)).toString("latin1");
  if (!start.startsWith("GGUF")) {
    const isPage = /^\s*<(!doctype|html|\?xml|head|body)/i.test(start);
    throw cursor.invalid(isPage ? "it is a web page, not a GGUF model" : "it is not a GGUF model");
  }
  cursor.skip(4);
  const version = cursor.u32();
  if (version > 0xffff)
    throw cursor.refusal("model-unsupported", "its byte order is not this computer's", "Choose another file.");
  if (version > newestVersion || version < 2)
    throw cursor.refusal(
      "model-unsupported",
      `it is GGUF version ${version}, and this Lares reads versions 2 and ${newestVersion}`,
      "Update Lares, or choose another file.",
    );
}

/** Walks over all entries and keeps the single numbers and texts. */
function readEntries(cursor: HeaderCursor, count: number): Map<string, Scalar> {
  const entries = new Map<string, Scalar>();
  for (let at = 0; at < count; at++) {
    const key = cursor.text();
    const type = readType(cursor);
    const [found, value] = type === "array" ? skipArray(cursor) : [type, readScalar(cursor, type)];
    if (expectedTypes[key]?.includes(found) === false) throw cursor.invalid(`its ${key} is of type ${found}`);
    entries.set(key, value);
  }
  return entries;
}

function readType(cursor: HeaderCursor): ValueType {
  const id = cursor.u32();
  const type = valueTypes[id];
  if (type === undefined) throw cursor.invalid(`its header is damaged: there is no value type ${id}`);
  return type;
}

function readScalar(cursor: HeaderCursor, type: Exclude<ValueType, "array">): Scalar {
  if (type === "string") return cursor.text();
  if (type === "u16") return cursor.u16();
  if (type === "u32") return cursor.u32();
  if (type === "u64") return Number(cursor.u64());
  cursor.skip(valueBytes[type]);
  return undefined;
}

function skipArray(cursor: HeaderCursor): [found: string, value: undefined] {
  const type = readType(cursor);
  if (type === "array") throw cursor.invalid("its header is damaged: it holds lists of lists");
  const length = cursor.count(`${type} values`, valueBytes[type]);
  if (type === "string") for (let at = 0; at < length; at++) cursor.skip(cursor.count("bytes of text", 1));
  else cursor.skip(length * valueBytes[type]);
  return [`${type}[]`, undefined];
}

function alignmentOf(entries: ReadonlyMap<string, Scalar>, cursor: HeaderCursor): number {
  const alignment = entries.get("general.alignment") ?? 32;
  if (typeof alignment === "number" && alignment >= 1 && alignment <= 4096 && Number.isInteger(Math.log2(alignment)))
    return alignment;
  throw cursor.invalid(`its alignment of ${alignment} bytes is not possible`);
}

/** Where the last tensor ends, counted from the start of the data. */
function endOfTensors(cursor: HeaderCursor, count: number, alignment: number): number {
  if (count === 0) throw cursor.invalid("it holds no weights");
  let end = 0;
  for (let at = 0; at < count; at++) {
    const tensor = cursor.text();
    const dimensions = cursor.u32();
    if (dimensions > 4) throw cursor.invalid(`its tensor ${tensor} has ${dimensions} dimensions`);
    let elements = 1;
    for (let dimension = 0; dimension < dimensions; dimension++) elements *= Number(cursor.u64());
    const [blockElements, blockBytes] = tensorBlocks[cursor.u32()] ?? [1, 0];
    const offset = Number(cursor.u64());
    const bytes = Math.ceil(elements / blockElements) * blockBytes;
    if (offset % alignment !== 0 || offset + bytes > mostBytes || elements > mostBytes)
      throw cursor.invalid(`its header is damaged: tensor ${tensor} lies at ${offset} with ${elements} elements`);
    end = Math.max(end, offset + bytes);
  }
  return end;
}

/** A model that was split is loaded by its first part and needs all the others beside it. */
function checkParts(path: string, name: string, parts: number): void {
  if (parts === 1) return;
  const suffix = /-(\d{5})-of-(\d{5})\.gguf$/.exec(path);
  const partPath = (part: number) => path.replace(/-\d{5}-of-/, `-${String(part).padStart(5, "0")}-of-`);
  const wanted = Array.from({ length: Math.min(parts, 1000) }, (_, at) => partPath(at + 1));
  const missing = suffix ? wanted.filter((part) => !existsSync(part)) : [];
  if (suffix && missing.length === 0) return;
  const which = suffix
    ? `part ${basename(missing[0] ?? "")} is not beside it`
    : "its name does not say which part it is";
  throw new AppError(
    "model-invalid",
    `${name} cannot be used: it is one of ${parts} parts, and ${which}. Download all parts into one folder.`,
  );
}
