import { createHash, randomBytes } from "node:crypto";
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createRunningHash } from "./running-hash.ts";

const content = randomBytes(300_000);
const expected = createHash("sha256").update(content).digest("hex");
const { signal } = new AbortController();

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lares-hash-"));
  path = join(folder, "body");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes a piece to the file and to the hash, as a download does. */
function grow(hash: ReturnType<typeof createRunningHash>, from: number, to: number): void {
  const piece = content.subarray(from, to);
  appendFileSync(path, piece);
  hash.write(piece, from);
}

test("what is written is hashed on its way, and not read again", async () => {
  const hash = createRunningHash(path);
  hash.start(0);
  grow(hash, 0, 100_000);
  grow(hash, 100_000, 300_000);
  const read: number[] = [];
  await hash.catchUp(signal, (done) => read.push(done));
  expect([await hash.digest(signal), read]).toEqual([expected, []]);
});

test("what an earlier run left is read once", async () => {
  writeFileSync(path, content.subarray(0, 200_000));
  const hash = createRunningHash(path);
  const read: number[] = [];
  await hash.catchUp(signal, (done) => read.push(done));
  hash.start(200_000);
  grow(hash, 200_000, 300_000);
  await hash.catchUp(signal, (done) => read.push(done));
  expect([await hash.digest(signal), read.at(-1)]).toEqual([expected, 200_000]);
});

test("a file that is begun anew is hashed anew, without reading it", async () => {
  writeFileSync(path, randomBytes(150_000));
  const hash = createRunningHash(path);
  await hash.catchUp(signal);
  truncateSync(path, 0);
  hash.start(0);
  grow(hash, 0, 300_000);
  const read: number[] = [];
  await hash.catchUp(signal, (done) => read.push(done));
  expect([await hash.digest(signal), read]).toEqual([expected, []]);
});

test("bytes that were hashed and did not reach the disk do not count", async () => {
  const hash = createRunningHash(path);
  hash.start(0);
  grow(hash, 0, 100_000);
  hash.write(content.subarray(100_000, 150_000), 100_000); // the disk was full
  writeFileSync(path, content.subarray(0, 120_000));
  hash.start(120_000);
  grow(hash, 120_000, 300_000);
  expect(await hash.digest(signal)).toBe(expected);
});

test("the digest can be asked for twice", async () => {
  writeFileSync(path, content);
  const hash = createRunningHash(path);
  expect([await hash.digest(signal), await hash.digest(signal)]).toEqual([expected, expected]);
});
