import { closeSync, fsyncSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { syncFolder } from "../lib/atomic-write.ts";

/** Gives a finished file its name: whatever happens, under that name is nothing, what was there before, or the whole of it. */
export function giveName(part: string, path: string): void {
  sync(part);
  renameSync(part, path);
  syncFolder(dirname(path));
}

function sync(path: string): void {
  const descriptor = openSync(path, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
