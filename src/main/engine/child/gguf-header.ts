import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { basename } from "node:path";
import { AppError } from "../../../shared/errors.ts";
import { tensorBlocks, type ValueType, valueBytes, valueTypes } from "./gguf-types.ts";
import { type ByteSource, HeaderCursor } from "./header-cursor.ts";

export interface GgufHeader {
  readonly architecture: string;
  readonly entries: HeaderEntries;
  readonly tensors: readonly HeaderTensor[];
  /** Bytes the file must have to hold all its tensors. */
  readonly expectedSize: number;
  /** Which part of a split model it is, from 0, and into how many it was split; 1 when it is whole. */
  readonly part: number;
  readonly parts: number;
}

/** A list keeps its numbers only when there may be one for each layer. */
export type HeaderValue = number | string | boolean | { readonly length: number; readonly numbers?: readonly number[] };
export type HeaderEntries = ReadonlyMap<string, HeaderValue>;

/** A tensor as the header describes it. */
export interface HeaderTensor {
  readonly name: string;
  readonly dimensions: number;
  readonly type: number;
  readonly elements: number;
  readonly bytes: number;
}

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

const newestVersion = 3;
/** More than any model has. */
export const mostLayers = 1024;
const mostBytes = 2 ** 50;
const smallestEntry = 13; // a key's length, a value's type, a value of one byte
const smallestTensor = 24; // a name's length, a count of dimensions, a type, an offset

/** Looks at a model file before llama.cpp does, which aborts the process on some damage. Throws AppError that names the file. */
export function checkModelFile(path: string): GgufHeader {
  const name = basename(path);
  const header = readFileHeader(path);
  if (header.part > 0)
    throw new AppError(
      "model-invalid",
      `${name} cannot be used: it is part ${header.part + 1} of ${header.parts}. Choose the first part.`,
    );
  checkParts(path, name, header.parts);
  return header;
}

/** The header of one file, which may be a later part of a model. Throws AppError that names it. */
export function readFileHeader(path: string): GgufHeader {
  const name = basename(path);
  const file = openModel(path, name);
  try {
    const size = fstatSync(file).size;
    const read = (position: number, length: number) => {
      const bytes = Buffer.alloc(Math.min(length, size - position));
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, position));
    };
    return readGgufHeader({ size, read }, name);
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
  const count = cursor.count("tensors", smallestTensor);
  const entries = readEntries(cursor, cursor.count("entries", smallestEntry));
  const part = numberAt(entries, "split.no") ?? 0;
  const architecture = entries.get("general.architecture");
  const isNamed = typeof architecture === "string" && architecture !== "";
  if (!isNamed && part === 0) throw cursor.invalid("it does not say what kind of model it is");
  const layers = entries.get(`${architecture}.block_count`);
  if (typeof layers === "number" && layers > mostLayers) throw cursor.invalid(`it claims ${layers} layers`);
  const alignment = alignmentOf(entries, cursor);
  const { tensors, end } = readTensors(cursor, count, alignment);
  const expectedSize = Math.ceil(cursor.position / alignment) * alignment + end;
  const missing = expectedSize - source.size;
  if (missing > 0)
    throw cursor.invalid(`${missing} of its ${expectedSize} bytes are missing, so its download did not finish`);
  return {
    architecture: isNamed ? architecture : "",
    ...{ entries, tensors, expectedSize, part },
    parts: Math.max(1, numberAt(entries, "split.count") ?? 1),
  };
}

const numberAt = (entries: HeaderEntries, key: string): number | undefined => {
  const value = entries.get(key);
  return typeof value === "number" ? value : undefined;
};

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

/** Walks over all entries and keeps what is small. */
function readEntries(cursor: HeaderCursor, count: number): HeaderEntries {
  const entries = new Map<string, HeaderValue>();
  for (let at = 0; at < count; at++) {
    const key = cursor.text();
    const type = readType(cursor);
    const [found, value] = type === "array" ? readArray(cursor) : [type, readScalar(cursor, type)];
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

function readScalar(cursor: HeaderCursor, type: Exclude<ValueType, "array">): number | string | boolean {
  if (type === "string") return cursor.text();
  const value = cursor.number(type);
  return type === "bool" ? value !== 0 : value;
}

function readArray(cursor: HeaderCursor): [found: string, value: HeaderValue] {
  const type = readType(cursor);
  if (type === "array") throw cursor.invalid("its header is damaged: it holds lists of lists");
  const length = cursor.count(`${type} values`, valueBytes[type]);
  const found = `${type}[]`;
  if (type !== "string" && length <= mostLayers)
    return [found, { length, numbers: Array.from({ length }, () => cursor.number(type)) }];
  if (type === "string") for (let at = 0; at < length; at++) cursor.skip(cursor.count("bytes of text", 1));
  else cursor.skip(length * valueBytes[type]);
  return [found, { length }];
}

function alignmentOf(entries: HeaderEntries, cursor: HeaderCursor): number {
  const alignment = entries.get("general.alignment") ?? 32;
  if (typeof alignment === "number" && alignment >= 1 && alignment <= 4096 && Number.isInteger(Math.log2(alignment)))
    return alignment;
  throw cursor.invalid(`its alignment of ${String(alignment)} bytes is not possible`);
}

/** The tensors, and where the last one ends, counted from the start of the data. */
function readTensors(cursor: HeaderCursor, count: number, alignment: number): { tensors: HeaderTensor[]; end: number } {
  if (count === 0) throw cursor.invalid("it holds no weights");
  const tensors: HeaderTensor[] = [];
  let end = 0;
  for (let at = 0; at < count; at++) {
    const name = cursor.text();
    const dimensions = cursor.u32();
    if (dimensions > 4) throw cursor.invalid(`its tensor ${name} has ${dimensions} dimensions`);
    let elements = 1;
    for (let dimension = 0; dimension < dimensions; dimension++) elements *= Number(cursor.u64());
    const type = cursor.u32();
    const [blockElements, blockBytes] = tensorBlocks[type] ?? [1, 0];
    const offset = Number(cursor.u64());
    const bytes = Math.ceil(elements / blockElements) * blockBytes;
    if (offset % alignment !== 0 || offset + bytes > mostBytes || elements > mostBytes)
      throw cursor.invalid(`its header is damaged: tensor ${name} lies at ${offset} with ${elements} elements`);
    tensors.push({ name, dimensions, type, elements, bytes });
    end = Math.max(end, offset + bytes);
  }
  return { tensors, end };
}

const mostParts = 1000;

/** The files of a model, by its first one. */
export const partsOf = (path: string, parts: number): string[] =>
  Array.from({ length: Math.min(parts, mostParts) }, (_, at) =>
    path.replace(/-\d{5}-of-(?=\d{5}\.gguf$)/, `-${String(at + 1).padStart(5, "0")}-of-`),
  );

/** A model that was split is loaded by its first part and needs all the others beside it. */
function checkParts(path: string, name: string, parts: number): void {
  if (parts === 1) return;
  const isNamed = /-\d{5}-of-\d{5}\.gguf$/.test(path);
  const missing = isNamed ? partsOf(path, parts).filter((part) => !existsSync(part)) : [];
  if (isNamed && missing.length === 0) return;
  const which = isNamed
    ? `part ${basename(missing[0] ?? "")} is not beside it`
    : "its name does not say which part it is";
  throw new AppError(
    "model-invalid",
    `${name} cannot be used: it is one of ${parts} parts, and ${which}. Download all parts into one folder.`,
  );
}
