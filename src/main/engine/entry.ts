import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AppError } from "../../shared/errors.ts";

const here = dirname(fileURLToPath(import.meta.url));

/** The built tree mirrors the source: only the ending differs. */
const places = ["child/main.ts", "child/main.js"];

/** The file the engine child is forked from. Throws AppError `engine-unavailable` when the installation lacks it. */
export function engineEntry(): string {
  const found = places.map((place) => join(here, place)).find((path) => existsSync(path));
  if (found) return found;
  throw new AppError("engine-unavailable", `The local engine is missing beside ${here}. Install Lares again.`);
}
