import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type GgufBytes, ggufStart, type MetadataEntry, writeGguf } from "../../../../tests/support/gguf.ts";
import { AppError } from "../../../shared/errors.ts";
import { checkModelFile, readGgufHeader } from "./gguf-header.ts";

const folder = mkdtempSync(join(tmpdir(), "gguf-"));
afterAll(() => rmSync(folder, { recursive: true }));
const architecture: MetadataEntry = { key: "general.architecture", type: "string", value: "llama" };

/** A header with one tensor of 8 numbers, and as many bytes of data as are wanted. */
function header(
  entries: readonly MetadataEntry[],
  { version = 3, offset = 0n, shape = [8n], type = 0, data = 32 } = {},
): Buffer {
  const bytes = ggufStart(1, entries.length, version);
  for (const entry of entries) bytes.entry(entry);
  bytes.string("weight").number("u32", shape.length);
  for (const size of shape) bytes.number("u64", size);
  bytes.number("u32", type).number("u64", offset);
  return Buffer.concat([bytes.bytes(), Buffer.alloc((32 - (bytes.length % 32)) % 32), Buffer.alloc(data)]);
}

const source = (bytes: Uint8Array) => ({
  size: bytes.length,
  read: (position: number, length: number) => Buffer.from(bytes).subarray(position, position + length),
});

function refusalOf(bytes: Uint8Array): AppError {
  try {
    readGgufHeader(source(bytes), "model.gguf");
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown;
    throw thrown;
  }
  throw new Error("It was not refused.");
}

const withEntry = (
  key: string,
  type: MetadataEntry["type"],
  value: MetadataEntry["value"],
  items?: MetadataEntry["items"],
) => header([architecture, { key, type, value, ...(items && { items }) }]);
/** The start of a header, and after `more` enough bytes that it is not too short for what it claims. */
const start = (more: (bytes: GgufBytes) => GgufBytes, tensors: bigint | number = 1, entries: bigint | number = 1) =>
  Buffer.concat([more(ggufStart(tensors, entries)).bytes(), Buffer.alloc(64)]);

describe("a model file's header", () => {
  test("of a good file is read", () => {
    const path = writeGguf(join(folder, "good.gguf"));
    const { entries, tensors, ...rest } = checkModelFile(path);
    expect(rest).toEqual({ architecture: "llama", expectedSize: readFileSync(path).length, part: 0, parts: 1 });
    expect(entries.get("llama.context_length")).toBe(8192);
    expect(tensors).toContainEqual({
      name: "blk.0.attn_q.weight",
      dimensions: 2,
      type: 0,
      elements: 256 * 256,
      bytes: 4 * 256 * 256,
    });
  });

  test.each([
    { name: "an empty file", bytes: Buffer.alloc(0), problem: "is empty (0 bytes)" },
    { name: "a web page", bytes: Buffer.from("<!DOCTYPE html><p>Sign in"), problem: "is a web page, not a GGUF" },
    { name: "a page in XML", bytes: Buffer.from('\n <?xml version="1.0"?>'), problem: "is a web page, not a GGUF" },
    { name: "a text", bytes: Buffer.from("Not found"), problem: "is not a GGUF model" },
    {
      name: "nothing after the magic",
      bytes: Buffer.from("GGUF"),
      problem: "ends in the middle of its header, after 4 bytes",
    },
    {
      name: "2^64-1 entries",
      bytes: start((bytes) => bytes, 1, 2n ** 64n - 1n),
      problem: "claims 18446744073709551615 entries",
    },
    { name: "2^63 tensors", bytes: start((bytes) => bytes, 2n ** 63n), problem: "claims 9223372036854775808 tensors" },
    {
      name: "a string of 2^63 bytes",
      bytes: start((bytes) => bytes.number("u64", 2n ** 63n)),
      problem: "bytes of text",
    },
    {
      name: "a list of 2^62 numbers",
      bytes: start((bytes) =>
        bytes
          .string("a")
          .number("u32", 9)
          .number("u32", 4)
          .number("u64", 2n ** 62n),
      ),
      problem: "claims 4611686018427387904 u32 values",
    },
    {
      name: "a list of lists",
      bytes: start((bytes) => bytes.string("a").number("u32", 9).number("u32", 9).number("u64", 1)),
      problem: "lists of lists",
    },
    {
      name: "an unknown type",
      bytes: start((bytes) => bytes.string("a").number("u32", 77)),
      problem: "no value type 77",
    },
    { name: "no architecture", bytes: header([]), problem: "does not say what kind of model" },
    {
      name: "an impossible alignment",
      bytes: withEntry("general.alignment", "u32", 0x80000000),
      problem: "alignment of 2147483648",
    },
    { name: "an alignment of 0", bytes: withEntry("general.alignment", "u32", 0), problem: "alignment of 0" },
    {
      name: "scores that are bytes",
      bytes: withEntry("tokenizer.ggml.scores", "array", [1, 2], "i8"),
      problem: "scores is of type i8[]",
    },
    {
      name: "a template that is a number",
      bytes: withEntry("tokenizer.chat_template", "u32", 1),
      problem: "of type u32",
    },
    {
      name: "countless layers",
      bytes: withEntry("llama.block_count", "u32", 4_000_000_000),
      problem: "4000000000 layers",
    },
    {
      name: "dimensions that overflow",
      bytes: header([architecture], { shape: [2n ** 62n, 2n ** 62n] }),
      problem: "damaged",
    },
    {
      name: "five dimensions",
      bytes: header([architecture], { shape: [1n, 1n, 1n, 1n, 8n] }),
      problem: "5 dimensions",
    },
    { name: "an offset beyond any disk", bytes: header([architecture], { offset: 2n ** 60n }), problem: "damaged" },
    { name: "an offset between the places", bytes: header([architecture], { offset: 33n }), problem: "damaged" },
    { name: "no weights", bytes: ggufStart(0, 1).entry(architecture).bytes(), problem: "holds no weights" },
  ])("with $name is refused", ({ bytes, problem }) => {
    const { code, message } = refusalOf(bytes);
    expect({ code, message }).toEqual({ code: "model-invalid", message: expect.stringContaining(problem) });
    expect(message).toMatch(/^model\.gguf cannot be used: .*Download it again, or choose another file\.$/);
  });

  test.each([
    { version: 99, problem: "GGUF version 99" },
    { version: 1, problem: "GGUF version 1" },
    { version: 0x03000000, problem: "byte order" },
  ])("of version $version is refused as unsupported", ({ version, problem }) => {
    expect(refusalOf(header([architecture], { version }))).toMatchObject({
      code: "model-unsupported",
      message: expect.stringContaining(problem),
    });
  });

  test("says how many bytes are missing from a download that did not finish", () => {
    const path = writeGguf(join(folder, "short.gguf"));
    const whole = readFileSync(path).length;
    truncateSync(path, whole - 1000);
    expect(() => checkModelFile(path)).toThrow(`short.gguf cannot be used: 1000 of its ${whole} bytes are missing`);
  });

  test("is read over the edges of what is read at once", () => {
    const long = "x".repeat(2_000_000);
    const entries: MetadataEntry[] = [{ key: "note", type: "string", value: long }, architecture];
    expect(readGgufHeader(source(header(entries)), "long.gguf").architecture).toBe("llama");
  });

  test("of a part is refused while another part is missing", () => {
    const metadata: MetadataEntry[] = [{ key: "split.count", type: "u32", value: 3 }];
    const parts = [1, 2, 3].map((part) => join(folder, `big-0000${part}-of-00003.gguf`));
    for (const part of [0, 2]) writeGguf(parts[part] ?? "", { metadata });
    expect(() => checkModelFile(parts[0] ?? "")).toThrow("part big-00002-of-00003.gguf is not beside it");
    writeGguf(parts[1] ?? "", { metadata });
    expect(checkModelFile(parts[0] ?? "").parts).toBe(3);
  });

  test("of a missing file says that it is missing", () => {
    expect(() => checkModelFile(join(folder, "nowhere.gguf"))).toThrow(
      expect.objectContaining({ code: "model-missing", message: expect.stringContaining("nowhere.gguf") }),
    );
  });

  test("of a folder says that it is not a file", () => {
    expect(() => checkModelFile(folder)).toThrow(
      expect.objectContaining({ code: "model-invalid", message: expect.stringContaining("it is not a file") }),
    );
  });

  test("is never answered with anything but an AppError, whatever bytes are changed", () => {
    const good = header([
      architecture,
      { key: "tokenizer.ggml.tokens", type: "array", value: ["a", "b"], items: "string" },
    ]);
    let refused = 0;
    for (let at = 0; at < good.length; at++)
      for (const value of [0, 1, 0x7f, 0xff]) {
        const mutant = Buffer.from(good);
        mutant[at] = value;
        try {
          readGgufHeader(source(mutant), "mutant.gguf");
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(AppError);
          refused += 1;
        }
      }
    expect(refused).toBeGreaterThan(100);
  });

  test("is never read past the end of a file that was cut", () => {
    const good = header([architecture]);
    for (let length = 0; length < good.length; length++)
      expect(refusalOf(good.subarray(0, length)).code).toBe("model-invalid");
  });

  test("is not allocated for by a number it claims", () => {
    const path = join(folder, "claims.gguf");
    writeFileSync(
      path,
      start((bytes) =>
        bytes
          .string("a")
          .number("u32", 8)
          .number("u64", 2n ** 31n),
      ),
    );
    const before = process.memoryUsage().arrayBuffers;
    expect(() => checkModelFile(path)).toThrow("in the middle of its header");
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 << 20);
  });
});
