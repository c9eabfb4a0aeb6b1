import { z } from "zod";
import { WireError } from "./errors.ts";

/** What a message is made of. `context` is what Lares itself tells the model beside the user's words. */
export const Part = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("context"), text: z.string() }),
  z.object({ type: z.literal("reasoning"), text: z.string(), raw: z.unknown().optional() }),
  z.object({
    type: z.literal("tool-call"),
    id: z.string(),
    name: z.string(),
    input: z.unknown(),
    /** The model's own spelling of the call, kept so that the prefix stays byte-stable. */
    raw: z.unknown().optional(),
  }),
  z.object({
    type: z.literal("tool-result"),
    callId: z.string(),
    name: z.string(),
    text: z.string(),
    failed: z.boolean(),
  }),
  /** `data` is base64. */
  z.object({ type: z.literal("image"), mediaType: z.string(), data: z.string(), name: z.string().optional() }),
  z.object({ type: z.literal("error"), error: WireError }),
]);
export type Part = z.infer<typeof Part>;
export type ToolCallPart = Extract<Part, { type: "tool-call" }>;
export type ToolResultPart = Extract<Part, { type: "tool-result" }>;

export const Role = z.enum(["user", "assistant", "tool"]);
export type Role = z.infer<typeof Role>;

/** chat: part of the conversation. command: a slash command or its answer, never replayed. note: a helper's hint to the model, never shown. */
export const MessageKind = z.enum(["chat", "command", "note"]);
export type MessageKind = z.infer<typeof MessageKind>;

/** Where the calls of an assistant row come from: the model, or Lares itself for files named by the user. */
export const Origin = z.enum(["model", "named"]);
export type Origin = z.infer<typeof Origin>;

export const MessageStatus = z.enum(["pending", "streaming", "complete", "incomplete", "hidden"]);
export type MessageStatus = z.infer<typeof MessageStatus>;

export const Usage = z.object({
  /** Tokens of the prompt as the model saw it, reused ones included. */
  inputTokens: z.number(),
  /** Prompt tokens that were still in the model's memory and not read again. */
  reusedTokens: z.number(),
  outputTokens: z.number(),
  /** Milliseconds from the request to the first token, and from there to the end. */
  firstTokenMs: z.number(),
  decodeMs: z.number(),
});
export type Usage = z.infer<typeof Usage>;

/** One row of a session. Its content never changes once its status is complete, incomplete or hidden. */
export const Message = z
  .object({
    /** Grows over the whole store: the order of rows, independent of any clock. */
    id: z.number(),
    sessionId: z.string(),
    turnId: z.string(),
    role: Role,
    kind: MessageKind,
    origin: Origin,
    status: MessageStatus,
    parts: z.array(Part).readonly(),
    usage: Usage.exactOptional(),
    /** Epoch milliseconds. */
    createdAt: z.number(),
    finishedAt: z.number().exactOptional(),
  })
  .readonly();
export type Message = z.infer<typeof Message>;

/** A row to be written; the store gives it its id and its hash. Without a kind it is chat, without an origin it is of the model. */
export type NewMessage = Pick<Message, "sessionId" | "turnId" | "role" | "status" | "parts" | "createdAt"> &
  Partial<Pick<Message, "kind" | "origin">>;

/** What an open row becomes. */
export interface MessageEnd {
  readonly parts: readonly Part[];
  readonly status: Exclude<MessageStatus, "pending" | "streaming">;
  readonly usage?: Usage;
  readonly finishedAt: number;
}

/** A message that a search found. */
export const SearchHit = z
  .object({
    messageId: z.number(),
    sessionId: z.string(),
    turnId: z.string(),
    /** The hit with a little text around it. */
    snippet: z.string(),
  })
  .readonly();
export type SearchHit = z.infer<typeof SearchHit>;

export const textOf = (parts: readonly Part[]): string =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");

/** Parts with more streamed text: neighbouring pieces of one kind are one part. */
export function withStreamed(parts: readonly Part[], kind: "text" | "reasoning", text: string, raw?: unknown): Part[] {
  const more = raw !== undefined && { raw };
  const last = parts.at(-1);
  if (last?.type !== kind) return [...parts, { type: kind, text, ...more }];
  return [...parts.slice(0, -1), { ...last, text: last.text + text, ...more }];
}

export const callsOf = (parts: readonly Part[]): ToolCallPart[] => parts.filter((part) => part.type === "tool-call");
