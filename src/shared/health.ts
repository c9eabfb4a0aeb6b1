import { z } from "zod";
import { ErrorCode, WireError } from "./errors.ts";

/** How what people said can be kept at this moment. */
export const Storage = z
  .object({
    /** read-only: the chats can be read, nothing can be written. none: they cannot be opened; what is said is in memory only. */
    mode: z.enum(["normal", "read-only", "none"]),
    /** Why it is not normal. */
    error: WireError.exactOptional(),
  })
  .readonly();
export type Storage = z.infer<typeof Storage>;

/** A damaged database that was set aside, and what was brought over from it. */
export const Rescue = z
  .object({
    /** Epoch milliseconds. */
    at: z.number(),
    /** The folder or file that holds the damaged set, whole. */
    keptAs: z.string(),
    /** Messages that could be read, of those that were found to have been there. */
    recovered: z.number(),
    total: z.number(),
    /** The backup that was the base; absent: there was none. */
    base: z.string().exactOptional(),
    /** The person has seen it. */
    seen: z.boolean(),
  })
  .readonly();
export type Rescue = z.infer<typeof Rescue>;

export const Backup = z
  .object({
    /** Its name in the backups folder. */
    name: z.string(),
    kind: z.enum(["daily", "weekly", "before-migration", "by-hand"]),
    at: z.number(),
    bytes: z.number(),
  })
  .readonly();
export type Backup = z.infer<typeof Backup>;

/** One thing that was looked at. The page and the terminal have words for each `id` in each `state`. */
export const HealthItem = z
  .object({
    id: z.enum(["storage", "integrity", "rows", "search", "backup", "rescue", "space", "engine"]),
    /** good; attention: works, but see to it; bad: something is lost or will be; unknown: not looked at yet. */
    state: z.enum(["good", "attention", "bad", "unknown"]),
    /** When it was looked at, epoch milliseconds. */
    at: z.number().exactOptional(),
    code: ErrorCode.exactOptional(),
    /** What was found, in plain English, without anything that people said. */
    details: z.array(z.string()).readonly(),
  })
  .readonly();
export type HealthItem = z.infer<typeof HealthItem>;

export const HealthReport = z
  .object({
    items: z.array(HealthItem).readonly(),
    backups: z.array(Backup).readonly(),
    rescues: z.array(Rescue).readonly(),
    storage: Storage,
    /** A look at everything is under way. */
    checking: z.boolean(),
    dataFolder: z.string(),
    databaseBytes: z.number(),
    freeBytes: z.number(),
    messages: z.number(),
    versions: z.object({ lares: z.string(), schema: z.number(), sqlite: z.string(), node: z.string() }).readonly(),
  })
  .readonly();
export type HealthReport = z.infer<typeof HealthReport>;
