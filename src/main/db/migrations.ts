import type { Database } from "better-sqlite3";
import { AppError } from "../../shared/errors.ts";
import { firstSchema } from "./schema.ts";
import { secondSchema } from "./schema-2.ts";
import { thirdSchema } from "./schema-3.ts";

/** Append only: the number of applied ones is the schema version of a file. A released one never changes. */
const migrations: readonly string[] = [firstSchema, secondSchema, thirdSchema];

/**
 * Brings a database to the newest schema. Each migration and its new version number are one transaction, so a crash
 * leaves the version before or after it, never between. A newer schema than this Lares knows is refused.
 */
export function migrate(sqlite: Database, file: string, list: readonly string[] = migrations): void {
  const version = Number(sqlite.pragma("user_version", { simple: true }));
  if (version > list.length) {
    throw new AppError(
      "data-newer",
      `${file} was written by a newer Lares (schema ${version}, this one knows ${list.length}). Install the newer version.`,
    );
  }
  for (const [index, sql] of list.entries()) {
    if (index < version) continue;
    const step = sqlite.transaction(() => {
      sqlite.exec(sql);
      sqlite.pragma(`user_version = ${index + 1}`);
    });
    step.immediate();
  }
}
