import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AppError } from "../../../shared/errors.ts";

const here = dirname(fileURLToPath(import.meta.url));

/** The file of the thread that looks after the data: of the source, or of what was built from it. Throws AppError `internal`. */
export function maintenanceEntry(): string {
  const found = ["worker.ts", "worker.js"].map((name) => join(here, name)).find((path) => existsSync(path));
  if (found) return found;
  throw new AppError("internal", `The part that looks after the data is missing in ${here}. Install Lares again.`);
}
