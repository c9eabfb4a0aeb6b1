import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { walFrames } from "./wal-frames.ts";

/** The pages of a database file as its journal leaves them, read without SQLite. */
export interface Pages {
  readonly size: number;
  /** Numbers go from 1 to it. */
  readonly count: number;
  /** The pages of which the journal has a newer version. */
  readonly journalled: readonly number[];
  /** Undefined: there is no such page. */
  page(number: number): Buffer | undefined;
  close(): void;
}

/** Opens a file to be read as pages of this size; it and its journal are not changed. Throws what the file system says. */
export function openPages(file: string, size: number, { withJournal = true } = {}): Pages {
  const main = openSync(file, "r");
  const journal = withJournal ? openIfThere(`${file}-wal`) : undefined;
  const frames = journal === undefined ? new Map<number, number>() : walFrames(journal, size);
  const inFile = Math.ceil(fstatSync(main).size / size);
  return {
    size,
    count: Math.max(inFile, ...frames.keys()),
    journalled: [...frames.keys()],
    page(number) {
      const place = frames.get(number);
      if (place !== undefined && journal !== undefined) return readPage(journal, place, size);
      return number < 1 || number > inFile ? undefined : readPage(main, (number - 1) * size, size);
    },
    close() {
      closeSync(main);
      if (journal !== undefined) closeSync(journal);
    },
  };
}

/** A page that was cut off ends in zeros. */
function readPage(descriptor: number, offset: number, size: number): Buffer {
  const page = Buffer.alloc(size);
  readSync(descriptor, page, 0, size, offset);
  return page;
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, "r");
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return undefined;
    throw thrown;
  }
}
