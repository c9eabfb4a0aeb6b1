import { closeSync, fsyncSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";

/** Gives a finished file its name: whatever happens, under that name is nothing, what was there before, or the whole of it. */
export function giveName(part: string, path: string): void {
  sync(part, "r+");
  renameSync(part, path);
  if (process.platform !== "win32") sync(dirname(path), "r");
}

function sync(path: string, flags: "r" | "r+"): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
