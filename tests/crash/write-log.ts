import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Seeded } from "../support/seeded.ts";

const operations = ["write", "sync", "truncate", "unlink", "rename", "mark"] as const;

/** One call of the subject, as faults.c wrote it down. `mark`: a piece of evidence, at its place in the order. */
export interface LoggedCall {
  readonly operation: (typeof operations)[number];
  readonly path: string;
  readonly offset: number;
  readonly bytes: Buffer;
}

const HEADER = 24;

/** The calls in the order in which they happened. */
export function readWriteLog(file: string): LoggedCall[] {
  const log = readFileSync(file);
  const calls: LoggedCall[] = [];
  for (let at = 0; at < log.length; ) {
    const operation = operations[log.readUInt32LE(at)];
    const pathLength = log.readUInt32LE(at + 4);
    const offset = Number(log.readBigUInt64LE(at + 8));
    const length = Number(log.readBigUInt64LE(at + 16));
    if (!operation) throw new Error(`The write log is broken at ${at}.`);
    const start = at + HEADER + pathLength;
    const path = log.toString("utf8", at + HEADER, start);
    calls.push({ operation, path, offset, bytes: log.subarray(start, start + length) });
    at = start + length;
  }
  return calls;
}

/** What a power cut leaves of the writes that no sync had confirmed. */
export const fates = ["none", "all", "torn", "torn", "torn", "re-ordered", "re-ordered", "re-ordered"] as const;
export type Fate = (typeof fates)[number];

const SECTOR = 512;

interface DiskFile {
  /** What the last sync confirmed. */
  durable: Buffer;
  /** What came after it. */
  pending: LoggedCall[];
}

/**
 * A disk that is told every call. Names are durable at once: what a cut does to renames is not modelled, and neither is
 * a drive that lies about a sync.
 */
export class Disk {
  private readonly files = new Map<string, DiskFile>();

  constructor(folder: string) {
    for (const name of readdirSync(folder, { withFileTypes: true })) {
      if (!name.isFile()) continue;
      this.files.set(join(folder, name.name), { durable: readFileSync(join(folder, name.name)), pending: [] });
    }
  }

  take(call: LoggedCall): void {
    const { operation, path, bytes } = call;
    if (operation === "mark") return;
    if (operation === "unlink") {
      this.files.delete(path);
      return;
    }
    const file = this.files.get(path) ?? { durable: Buffer.alloc(0), pending: [] };
    this.files.set(path, file);
    if (operation === "rename") {
      this.files.delete(path);
      this.files.set(bytes.toString("utf8"), file);
    } else if (operation === "sync") {
      file.durable = file.pending.reduce(apply, file.durable);
      file.pending = [];
    } else file.pending.push(call);
  }

  /** Calls that no sync has confirmed yet. */
  get unconfirmed(): number {
    return [...this.files.values()].reduce((sum, { pending }) => sum + pending.length, 0);
  }

  /** Writes what is there after a cut at this moment. The shared memory of SQLite is no file of the disk. */
  leave(folder: string, fate: Fate, random: Seeded): void {
    mkdirSync(folder, { recursive: true });
    for (const [path, { durable, pending }] of this.files) {
      const name = basename(path);
      if (!name.startsWith("lares.db") || name.endsWith("-shm")) continue;
      writeFileSync(join(folder, name), survivors(pending, fate, random).reduce(apply, durable));
    }
  }
}

/** The calls, or the parts of calls, that reached the disk. */
function survivors(pending: readonly LoggedCall[], fate: Fate, random: Seeded): readonly LoggedCall[] {
  if (fate === "none") return [];
  if (fate === "all") return pending;
  if (fate === "re-ordered") return pending.flatMap((call) => sectorsOf(call).filter(() => random.chance(0.5)));
  const cut = random.between(0, Math.max(0, pending.length - 1));
  const last = pending[cut];
  const torn = last ? sectorsOf(last) : [];
  return [...pending.slice(0, cut), ...torn.slice(0, random.between(0, torn.length))];
}

/** A disk writes whole sectors: a call in the pieces in which it may arrive. */
function sectorsOf(call: LoggedCall): LoggedCall[] {
  if (call.operation !== "write") return [call];
  const pieces: LoggedCall[] = [];
  for (let from = 0; from < call.bytes.length; ) {
    const to = Math.min(call.bytes.length, from + SECTOR - ((call.offset + from) % SECTOR));
    pieces.push({ ...call, offset: call.offset + from, bytes: call.bytes.subarray(from, to) });
    from = to;
  }
  return pieces;
}

function apply(content: Buffer, { operation, offset, bytes }: LoggedCall): Buffer {
  const size = operation === "truncate" ? offset : Math.max(content.length, offset + bytes.length);
  const next = Buffer.alloc(size);
  content.copy(next, 0, 0, Math.min(content.length, size));
  if (operation === "write") bytes.copy(next, offset);
  return next;
}
