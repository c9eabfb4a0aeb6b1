import Sqlite from "better-sqlite3";
import { newestSchema } from "../migrations.ts";

/** Of what the database is made with. */
export const engineVersions = { schema: newestSchema, sqlite: sqliteVersion() };

function sqliteVersion(): string {
  const sqlite = new Sqlite(":memory:");
  try {
    return String(sqlite.prepare("SELECT sqlite_version()").pluck().get());
  } finally {
    sqlite.close();
  }
}
