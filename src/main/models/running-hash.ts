import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { Tee } from "../net/attempt.ts";

/** The SHA-256 of a file that grows: what is written is hashed on its way, and nothing is read twice. */
export interface RunningHash extends Tee {
  /** Reads what is in the file and not hashed yet: what an earlier try has left. `onProgress` is told the bytes. */
  catchUp(signal: AbortSignal, onProgress?: (done: number) => void): Promise<void>;
  /** Hex, of the whole file; reads what it has not seen. */
  digest(signal: AbortSignal): Promise<string>;
}

const BLOCK = 1024 * 1024;

export function createRunningHash(path: string): RunningHash {
  let hash = createHash("sha256");
  let hashed = 0;

  function startOver(): void {
    hash = createHash("sha256");
    hashed = 0;
  }

  async function catchUp(signal: AbortSignal, onProgress?: (done: number) => void): Promise<void> {
    const size = await stat(path).then(
      (found) => found.size,
      () => 0, // nothing is there yet
    );
    if (size < hashed) startOver();
    if (size === hashed) return;
    for await (const block of createReadStream(path, { start: hashed, highWaterMark: BLOCK, signal })) {
      hash.update(block);
      hashed += block.length;
      onProgress?.(hashed);
    }
  }

  return {
    start(at) {
      if (at < hashed) startOver(); // the file is begun anew, or was cut
    },
    write(bytes, at) {
      if (at !== hashed) return; // a gap: `digest` reads it
      hash.update(bytes);
      hashed += bytes.byteLength;
    },
    catchUp,
    async digest(signal) {
      await catchUp(signal);
      return hash.copy().digest("hex");
    },
  };
}
