import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The version of this installation: package.json stands above `src` as above `out`. Empty if it cannot be read. */
export function readVersion(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const version = versionIn(join(folder, "package.json"));
    if (version !== undefined) return version;
    if (folder === dirname(folder)) return "";
  }
}

function versionIn(file: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(file, "utf8")) as { version?: unknown };
    return typeof version === "string" ? version : undefined;
  } catch {
    return undefined; // not here: further up
  }
}
