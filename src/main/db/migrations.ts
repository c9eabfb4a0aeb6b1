import type { Database } from "better-sqlite3";
import { AppError } from "../../shared/errors.ts";
import { firstSchema } from "./schema.ts";
import { secondSchema } from "./schema-2.ts";
import { thirdSchema } from "./schema-3.ts";
import { fourthSchema } from "./schema-4.ts";

/** Append only: the number of applied ones is the schema version of a file. A released one never changes. */
export const migrations: readonly string[] = [firstSchema, secondSchema, thirdSchema, fourthSchema];

/** The schema that this Lares writes. */
export const newestSchema = migrations.length;

/** How many migrations a file has been through. */
export const schemaOf = (sqlite: Database): number => Number(sqlite.pragma("user_version", { simple: true }));

/** What this Lares says of a file that it does not know. */
export const newerSchema = (file: string, version: number, known = newestSchema): AppError =>
  new AppError(
    "data-newer",
    `${file} was written by a newer Lares (schema ${version}, this one knows ${known}). Nothing is written to it: install the newer version.`,
  );

/**
 * Brings a database to the newest schema. Each migration and its new version number are one transaction, so a crash
 * leaves the version before or after it, never between. A newer schema than this Lares knows is refused.
 */
export function migrate(sqlite: Database, file: string, list: readonly string[] = migrations): void {
  const version = schemaOf(sqlite);
  if (version > list.length) throw newerSchema(file, version, list.length);
  for (const [index, sql] of list.entries()) {
    if (index < version) continue;
    const step = sqlite.transaction(() => {
      sqlite.exec(sql);
      sqlite.pragma(`user_version = ${index + 1}`);
    });
    step.immediate();
  }
}
