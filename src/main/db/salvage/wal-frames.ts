import { readSync } from "node:fs";

const HEADER = 32;
const FRAME_HEADER = 24;
const magics: ReadonlyMap<number, "readUInt32LE" | "readUInt32BE"> = new Map([
  [0x377f0682, "readUInt32LE"],
  [0x377f0683, "readUInt32BE"],
]);

/**
 * Where in a journal the newest committed version of each page is (SQLite file format, 4.2). What does not belong to the
 * journal's last life, or is damaged, ends it. Nothing where there is no journal, or one of another page size.
 */
export function walFrames(descriptor: number, pageSize: number): Map<number, number> {
  const header = read(descriptor, 0, HEADER);
  const word = header && magics.get(header.readUInt32BE(0));
  if (!header || !word || header.readUInt32BE(8) !== pageSize) return new Map();
  const sum = checksum(word);
  let sums = sum(header.subarray(0, 24), [0, 0]);
  if (!isSame(header, 24, sums)) return new Map();
  const committed = new Map<number, number>();
  let pending: [page: number, offset: number][] = [];
  for (let offset = HEADER; ; offset += FRAME_HEADER + pageSize) {
    const frame = read(descriptor, offset, FRAME_HEADER + pageSize);
    if (frame?.compare(header, 16, 24, 8, 16) !== 0) return committed;
    sums = sum(frame.subarray(FRAME_HEADER), sum(frame.subarray(0, 8), sums));
    if (!isSame(frame, 16, sums)) return committed;
    pending.push([frame.readUInt32BE(0), offset + FRAME_HEADER]);
    if (frame.readUInt32BE(4) === 0) continue;
    for (const [page, place] of pending) committed.set(page, place);
    pending = [];
  }
}

type Sums = readonly [number, number];

const isSame = (bytes: Buffer, at: number, [one, two]: Sums): boolean =>
  bytes.readUInt32BE(at) === one && bytes.readUInt32BE(at + 4) === two;

const checksum =
  (word: "readUInt32LE" | "readUInt32BE") =>
  (bytes: Buffer, [one, two]: Sums): Sums => {
    let [a, b] = [one, two];
    for (let at = 0; at < bytes.length; at += 8) {
      a = (a + bytes[word](at) + b) >>> 0;
      b = (b + bytes[word](at + 4) + a) >>> 0;
    }
    return [a, b];
  };

/** Undefined where the file ends before. */
function read(descriptor: number, offset: number, length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length);
  return readSync(descriptor, bytes, 0, length, offset) === length ? bytes : undefined;
}
