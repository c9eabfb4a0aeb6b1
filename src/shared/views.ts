import { z } from "zod";
import { ErrorCode, WireError } from "./errors.ts";
import { Goal } from "./goal.ts";
import { Message } from "./message.ts";
import { Inbound, RequestRecord, ToolCallRecord, TraceEntry, TurnRecord } from "./turn.ts";

export const Id = z.string().regex(/^[\w-]{1,64}$/);

/** A chat in the list. */
export const ChatSummary = z
  .object({
    id: Id,
    /** The person's own, or the first line of the first message; empty for a chat without a message. At most 120 characters. */
    title: z.string(),
    pinned: z.boolean(),
    /** In memory only: gone when Lares ends. */
    private: z.boolean(),
    createdAt: z.number(),
    updatedAt: z.number(),
    model: z.string().exactOptional(),
    /** running: a turn runs; interrupted, failed: how the last one ended. */
    state: z.enum(["idle", "running", "interrupted", "failed"]),
  })
  .readonly();
export type ChatSummary = z.infer<typeof ChatSummary>;

/** How far a turn is in something that takes long: bytes of a model, or tokens of the prompt. */
export const TurnProgress = z
  .object({
    phase: z.enum(["fetching", "loading", "reading"]),
    done: z.number(),
    total: z.number(),
    reused: z.number().exactOptional(),
  })
  .readonly();
export type TurnProgress = z.infer<typeof TurnProgress>;

/** Something the person should know that is not an error of the turn. */
export const Notice = z.object({ code: ErrorCode.or(z.literal("info")), text: z.string() }).readonly();
export type Notice = z.infer<typeof Notice>;

/** One turn with all that the page shows of it: the question, the rows, and how it went. */
export const TurnView = z
  .object({
    turn: TurnRecord,
    inbound: Inbound,
    rows: z.array(Message).readonly(),
    trace: z.array(TraceEntry).readonly(),
    requests: z.array(RequestRecord).readonly(),
    calls: z.array(ToolCallRecord).readonly(),
    /** The turns that stand at the same place, oldest first; this one is among them. */
    variants: z.array(z.string()).readonly(),
    notices: z.array(Notice).readonly(),
    /** Only while it runs. */
    progress: TurnProgress.exactOptional(),
  })
  .readonly();
export type TurnView = z.infer<typeof TurnView>;

/** A chat as it is at one moment: what has the number `at` is in it, what comes after follows as events. */
export const ChatSnapshot = z
  .object({
    chat: ChatSummary,
    /** The newest ones of the shown branch, oldest first. */
    turns: z.array(TurnView).readonly(),
    hasEarlier: z.boolean(),
    /** Messages that wait for their turn, or that a stop turned into drafts; oldest first. */
    waiting: z.array(Inbound).readonly(),
    goal: Goal.exactOptional(),
    /** What was typed and not sent. */
    draft: z.string(),
    at: z.number(),
  })
  .readonly();
export type ChatSnapshot = z.infer<typeof ChatSnapshot>;

export const ChatHit = z
  .object({
    chatId: z.string(),
    chatTitle: z.string(),
    turnId: z.string(),
    messageId: z.number(),
    role: z.enum(["user", "assistant"]),
    snippet: z.string(),
    createdAt: z.number(),
  })
  .readonly();
export type ChatHit = z.infer<typeof ChatHit>;

/** A model in the list: one of the catalogue, or a file in the models folder. Bytes. */
export const ModelCard = z
  .object({
    /** Of the catalogue, or the file's name. */
    id: z.string(),
    name: z.string(),
    licence: z.string().exactOptional(),
    /** What it is good at, by language. */
    about: z.object({ en: z.string(), "zh-CN": z.string() }).readonly().exactOptional(),
    bytes: z.number(),
    /** What it will take of the memory, with its window. */
    memoryBytes: z.number(),
    fit: z.enum(["well", "tight", "too-big"]),
    suggested: z.boolean(),
    /** It is the one a new chat uses. */
    chosen: z.boolean(),
    state: z.enum(["absent", "fetching", "paused", "here"]),
    /** Bytes that are here of one that is fetched or paused. */
    done: z.number(),
  })
  .readonly();
export type ModelCard = z.infer<typeof ModelCard>;

/** How a download goes. failed: with its error; what came is kept. */
export const FetchState = z
  .object({
    modelId: z.string(),
    state: z.enum(["fetching", "checking", "paused", "here", "failed"]),
    done: z.number(),
    total: z.number(),
    bytesPerSecond: z.number(),
    error: WireError.exactOptional(),
  })
  .readonly();
export type FetchState = z.infer<typeof FetchState>;
