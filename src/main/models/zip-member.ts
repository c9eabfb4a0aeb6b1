import { createReadStream, createWriteStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { PassThrough, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createInflateRaw } from "node:zlib";
import { AppError } from "../../shared/errors.ts";
import { diskError } from "../net/setback.ts";

interface Wanted {
  readonly archive: string;
  /** Its full name inside the archive. */
  readonly member: string;
  readonly to: string;
  readonly bytes: number;
}

interface Member {
  readonly method: number;
  readonly packedBytes: number;
  readonly headerAt: number;
}

const endRecordBytes = 22;
const longestComment = 65_535;
const largestDirectory = 4 * 1024 * 1024;
const stored = 0;
const deflated = 8;

/**
 * Writes one known member of a zip archive to `to`: exactly `bytes` bytes, never one more, whatever the archive claims.
 * Only what Python wheels are made of is read (no ZIP64, no encryption). The content is for the caller to check.
 * Throws AppError download-failed when the archive is not of that kind.
 */
export async function extractMember(wanted: Wanted, signal: AbortSignal): Promise<void> {
  const file = await open(wanted.archive);
  try {
    await unpack(file, wanted, signal);
  } catch (thrown) {
    if (thrown instanceof AppError || signal.aborted) throw thrown;
    throw diskError(thrown, wanted.to) ?? broken(wanted.archive, "it is damaged", thrown);
  } finally {
    await file.close();
  }
}

async function unpack(file: FileHandle, { archive, member, to, bytes }: Wanted, signal: AbortSignal): Promise<void> {
  const { method, packedBytes, headerAt } = findMember(await readDirectory(file, archive), member, archive);
  const header = await readAt(file, headerAt, 30);
  if (header.readUInt32LE(0) !== 0x04034b50) throw broken(archive, "a member is not where its directory says");
  const start = headerAt + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  await pipeline(
    createReadStream(archive, { start, end: start + packedBytes - 1 }),
    method === stored ? new PassThrough() : createInflateRaw(),
    exactly(bytes, archive),
    createWriteStream(to, { flush: true }),
    { signal },
  );
}

/** The central directory: found from the end record, which stands behind it. */
async function readDirectory(file: FileHandle, archive: string): Promise<Buffer> {
  const { size } = await file.stat();
  const tailBytes = Math.min(size, endRecordBytes + longestComment);
  const tail = await readAt(file, size - tailBytes, tailBytes);
  const end = tail.lastIndexOf("PK\x05\x06", tailBytes - endRecordBytes, "latin1");
  if (end < 0) throw broken(archive, "it has no directory");
  const length = tail.readUInt32LE(end + 12);
  if (length > largestDirectory) throw broken(archive, "its directory is too long");
  return readAt(file, tail.readUInt32LE(end + 16), length);
}

function findMember(directory: Buffer, member: string, archive: string): Member {
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === 0x02014b50; ) {
    const nameLength = directory.readUInt16LE(at + 28);
    const name = directory.toString("utf8", at + 46, at + 46 + nameLength);
    if (name === member) return memberAt(directory, at, archive);
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  throw broken(archive, `it does not contain ${member}`);
}

function memberAt(directory: Buffer, at: number, archive: string): Member {
  const method = directory.readUInt16LE(at + 10);
  const encrypted = (directory.readUInt16LE(at + 8) & 1) === 1;
  if (encrypted || (method !== stored && method !== deflated)) throw broken(archive, "it is packed in an unknown way");
  return { method, packedBytes: directory.readUInt32LE(at + 20), headerAt: directory.readUInt32LE(at + 42) };
}

/** Lets so many bytes through: more is stopped at once, less is an error at the end. */
function exactly(bytes: number, archive: string): Transform {
  let seen = 0;
  const wrong = () => broken(archive, `the model in it does not have ${bytes} bytes`);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen > bytes) done(wrong());
      else done(null, chunk);
    },
    flush: (done) => done(seen === bytes ? null : wrong()),
  });
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

const broken = (archive: string, why: string, cause?: unknown): AppError =>
  new AppError("download-failed", `The archive ${archive} cannot be used: ${why}.`, cause);
