import { type Box, readBox } from "./box.ts";
import type { VaultFolder } from "./vault-folder.ts";

const FILE = "keys.box";

/** The box on the disk. */
export interface BoxFile {
  exists(): boolean;
  /** As it was read or written last; undefined: there is none, or what is there is no box. */
  box(): Box | undefined;
  write(text: string): Promise<void>;
  /** Keeps the file under another name. */
  setAside(): Promise<void>;
  remove(): Promise<void>;
}

export function openBoxFile(folder: VaultFolder): BoxFile {
  let text = folder.read(FILE);
  let box = text === undefined ? undefined : readBox(text);

  /** Memory changes after the disk has. */
  function became(next: string | undefined): void {
    text = next;
    box = next === undefined ? undefined : readBox(next);
  }

  return {
    exists: () => text !== undefined,
    box: () => box,
    async write(next) {
      await folder.write(FILE, next);
      became(next);
    },
    async setAside() {
      await folder.setAside(FILE);
      became(undefined);
    },
    async remove() {
      await folder.remove(FILE);
      became(undefined);
    },
  };
}
