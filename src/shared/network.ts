import { z } from "zod";
import { Place } from "./cloud.ts";
import { ErrorCode } from "./errors.ts";

/** What a connection is made for. */
export const Purpose = z.enum(["answer", "model-list", "key-test", "download", "hub-search", "package-index"]);
export type Purpose = z.infer<typeof Purpose>;

/** One connection that Lares made, or refused to make: written before its first byte, closed with its figures. */
export const LedgerRow = z
  .object({
    /** Grows over the whole store. */
    id: z.number(),
    /** Epoch milliseconds. */
    at: z.number(),
    chatId: z.string().exactOptional(),
    turnId: z.string().exactOptional(),
    purpose: Purpose,
    host: z.string(),
    port: z.number(),
    /** The IP address that was connected to; absent: it never came to that, or another program chose it. */
    address: z.string().exactOptional(),
    place: Place,
    /** What the vendor calls the model. */
    model: z.string().exactOptional(),
    /** Bytes of bodies as they crossed the wire, without headers. */
    bodyOut: z.number(),
    bodyIn: z.number(),
    status: z.number().exactOptional(),
    /** open: it is being made, or the app died in it. */
    outcome: z.enum(["open", "done", "failed", "refused"]),
    error: ErrorCode.exactOptional(),
    endedAt: z.number().exactOptional(),
  })
  .readonly();
export type LedgerRow = z.infer<typeof LedgerRow>;

/** A row before it is written. */
export type NewLedgerRow = Omit<LedgerRow, "id" | "bodyOut" | "bodyIn" | "status" | "endedAt">;

/** What becomes of an open row. */
export type LedgerEnd = Pick<LedgerRow, "bodyOut" | "bodyIn" | "outcome"> &
  Partial<Pick<LedgerRow, "status" | "error">> & { readonly endedAt: number };

/** All that left and came, by place, since the first row that is kept. */
export const LedgerTotals = z
  .object({
    connections: z.number(),
    refused: z.number(),
    bodyOut: z.number(),
    bodyIn: z.number(),
    byHost: z
      .array(
        z.object({ host: z.string(), place: Place, connections: z.number(), bodyOut: z.number(), bodyIn: z.number() }),
      )
      .readonly(),
  })
  .readonly();
export type LedgerTotals = z.infer<typeof LedgerTotals>;

/** What of a chat is in a request: messages that were said, and files whose text is among the results. */
export const Cargo = z.object({ messages: z.number(), documents: z.number() }).readonly();
export type Cargo = z.infer<typeof Cargo>;

/** Where a request went and what it weighed: the row of the ledger that has it. */
export const Trip = z
  .object({
    ledgerId: z.number(),
    host: z.string(),
    place: Place,
    bodyOut: z.number(),
    bodyIn: z.number(),
    cargo: Cargo.exactOptional(),
  })
  .readonly();
export type Trip = z.infer<typeof Trip>;

/** A wait before a request is made again, or made of another model. */
export const RetryWait = z
  .object({
    /** The try that follows: 2, 3, … */
    attempt: z.number(),
    of: z.number(),
    /** Epoch milliseconds at which it begins. */
    until: z.number(),
    /** Why the one before failed. */
    code: ErrorCode,
    /** The model that is asked instead; absent: the same. */
    fallback: z.string().exactOptional(),
  })
  .readonly();
export type RetryWait = z.infer<typeof RetryWait>;
