import type { FileHandle } from "node:fs/promises";

/** The end of a file that grows while the next bytes are on their way: one write at a time, of all that came meanwhile. */
export interface Sink {
  /** Resolves when more may come. Throws the disk's error, of this piece or an earlier one. */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when everything has been handed to the disk. Throws the disk's error. */
  written(): Promise<void>;
}

/** So much may wait for the disk; then the network waits as well. */
const MOST_WAITING = 4 * 1024 * 1024;

export function createSink(file: Pick<FileHandle, "appendFile" | "writev">): Sink {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  let writing: Promise<void> | undefined;
  let failure: { readonly thrown: unknown } | undefined;

  async function drain(): Promise<void> {
    try {
      while (waiting.length > 0) {
        const pieces = waiting;
        const whole = bytes;
        waiting = [];
        bytes = 0;
        const { bytesWritten } = await file.writev(pieces);
        // A disk that is almost full takes a part; the rest says why.
        if (bytesWritten < whole) await file.appendFile(Buffer.concat(pieces).subarray(bytesWritten));
      }
    } catch (thrown) {
      failure = { thrown };
    }
    writing = undefined; // in one breath with the last look: what comes now begins anew
  }

  async function written(): Promise<void> {
    await writing;
    if (failure) throw failure.thrown;
  }

  return {
    async write(chunk) {
      if (failure) throw failure.thrown;
      waiting.push(chunk);
      bytes += chunk.byteLength;
      writing ??= drain();
      if (bytes >= MOST_WAITING) await written();
    },
    written,
  };
}
