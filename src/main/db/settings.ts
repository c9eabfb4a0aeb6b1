import type { Connection } from "./connection.ts";

export function setting(connection: Connection, key: string): string | undefined {
  return connection.statement("SELECT value FROM setting WHERE key = ?").pluck().get(key) as string | undefined;
}

export function setSetting(connection: Connection, key: string, value: string): void {
  connection
    .statement("INSERT INTO setting (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value")
    .run(key, value);
}
