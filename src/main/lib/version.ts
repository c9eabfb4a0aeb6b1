import { readFileSync } from "node:fs";
import { join } from "node:path";
import { foldersAbove } from "./folders-above.ts";

/** The version of this installation. Empty if it cannot be read. */
export function readVersion(): string {
  for (const folder of foldersAbove) {
    const version = versionIn(join(folder, "package.json"));
    if (version !== undefined) return version;
  }
  return "";
}

function versionIn(file: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(file, "utf8")) as { version?: unknown };
    return typeof version === "string" ? version : undefined;
  } catch {
    return undefined; // not here: further up
  }
}
