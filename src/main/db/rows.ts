import { z } from "zod";
import type { Connection } from "./connection.ts";
import { storeError } from "./store-errors.ts";

/** A column that holds JSON. */
export const json = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(schema);

/** What goes into such a column. */
export const toJson = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

/** A row as the app knows it: NULL is absent. One that does not fit its schema is damage. */
export function readRow<T>({ file }: Connection, table: string, schema: z.ZodType<T>, row: unknown): T {
  try {
    return schema.parse(Object.fromEntries(Object.entries(Object(row)).filter(([, value]) => value !== null)));
  } catch (thrown) {
    throw storeError("data-damaged", `${file} (table ${table})`, thrown);
  }
}
