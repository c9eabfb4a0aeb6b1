import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { AppError } from "../../shared/errors.ts";
import { type Limits, RATIO_COUNTS_FROM } from "./limits.ts";

type Bytes = AsyncIterable<Uint8Array<ArrayBuffer>>;

const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Passes a body on as it crossed the wire, and counts it. */
export async function* counted(body: AsyncIterable<Buffer>, meter: { bodyIn: number }): Bytes {
  for await (const chunk of body) {
    meter.bodyIn += chunk.byteLength;
    yield new Uint8Array(chunk.buffer as ArrayBuffer, chunk.byteOffset, chunk.byteLength); // a copy would halve the speed
  }
}

/** Unpacks a body, and stops at the limit: at what comes out, and at how much more that is than what went in. */
export async function* unpacked(
  body: Bytes,
  encoding: string,
  { host, limits, meter }: { host: string; limits: Limits; meter: { readonly bodyIn: number } },
): Bytes {
  const isPlain = encoding === "" || encoding === "identity";
  let bytes = 0;
  for await (const chunk of isPlain ? body : throughUnpacker(body, encoding, host)) {
    bytes += chunk.byteLength;
    const isBomb = !isPlain && bytes > RATIO_COUNTS_FROM && bytes > limits.ratio * meter.bodyIn;
    if (bytes > limits.bytes || isBomb) throw tooMuch(host, limits.bytes);
    yield chunk;
  }
}

function throughUnpacker(body: Bytes, encoding: string, host: string): AsyncIterable<Uint8Array<ArrayBuffer>> {
  const unpacker = unpackers[encoding];
  if (unpacker === undefined)
    throw new AppError("not-an-api", `${host} answers packed in a way that nobody asked for.`);
  const out = unpacker();
  pipeline(Readable.from(body), out, () => undefined); // what breaks is thrown to whoever reads `out`
  return out;
}

const tooMuch = (host: string, bytes: number): AppError =>
  new AppError(
    "not-an-api",
    `${host} sends far more than was asked for (over ${Math.round(bytes / 1e6)} MB, or a packed trap).`,
  );

/**
 * A body as the platform has it. `end` is called once: without anything when all has been read or the reader has had
 * enough, else with what was thrown; what it returns is thrown to the reader.
 */
export function streamOf(
  chunks: Bytes,
  end: (thrown?: unknown) => Error | undefined,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await iterator.next();
          if (!done) return controller.enqueue(value);
          end();
          controller.close();
        } catch (thrown) {
          controller.error(end(thrown));
        }
      },
      cancel: () => void end(),
    },
    { highWaterMark: 0 },
  );
}
