import { z } from "zod";
import { ErrorCode, WireError } from "./errors.ts";
import { Goal } from "./goal.ts";
import { Message } from "./message.ts";
import { RetryWait } from "./network.ts";
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
    /** A file or a catalogue id, or `cloud:<preset>`. */
    model: z.string().exactOptional(),
    /** Marked: it never goes to a cloud model. */
    neverCloud: z.boolean(),
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
    /** Only while it waits for its next try. */
    retry: RetryWait.exactOptional(),
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

/** What a model takes of the memory, in bytes. */
export const MemoryParts = z
  .object({
    weights: z.number(),
    /** What it remembers of a chat, for a whole window. */
    cache: z.number(),
    compute: z.number(),
  })
  .readonly();
export type MemoryParts = z.infer<typeof MemoryParts>;

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
    /** What it will take of the memory with the window of the settings: the sum of its parts. */
    memoryBytes: z.number(),
    memory: MemoryParts,
    /** The largest window that still fits; 0: none. */
    largestWindow: z.number(),
    fit: z.enum(["well", "tight", "too-big"]),
    /** Nobody who built this Lares could try it. */
    untried: z.boolean(),
    /** Why it is held back. */
    held: z.string().exactOptional(),
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
    /** queued: others are fetched first. */
    state: z.enum(["queued", "fetching", "checking", "paused", "here", "failed"]),
    done: z.number(),
    total: z.number(),
    bytesPerSecond: z.number(),
    error: WireError.exactOptional(),
  })
  .readonly();
export type FetchState = z.infer<typeof FetchState>;

/** A model file that a search of the hub found. */
export const HubFile = z
  .object({
    repository: z.string(),
    /** The first part, if it is split. */
    file: z.string(),
    parts: z.number(),
    bytes: z.number(),
    /** As it is written in the name: Q4_K_M. */
    quantisation: z.string().exactOptional(),
    licence: z.string().exactOptional(),
    downloads: z.number().exactOptional(),
    fit: z.enum(["well", "tight", "too-big"]),
    memoryBytes: z.number(),
  })
  .readonly();
export type HubFile = z.infer<typeof HubFile>;

/** What a model file says of itself. */
export const ModelFacts = z
  .object({
    path: z.string(),
    name: z.string(),
    architecture: z.string(),
    quantisation: z.string().exactOptional(),
    parameters: z.number().exactOptional(),
    trainedWindow: z.number(),
    tools: z.boolean(),
    thinking: z.boolean(),
    licence: z.string().exactOptional(),
    bytes: z.number(),
    parts: z.number(),
    memory: MemoryParts,
    largestWindow: z.number(),
    fit: z.enum(["well", "tight", "too-big"]),
  })
  .readonly();
export type ModelFacts = z.infer<typeof ModelFacts>;

/** The engine of this computer, and what it holds. */
export const EngineState = z
  .object({
    /** The file that is loaded. */
    path: z.string().exactOptional(),
    name: z.string().exactOptional(),
    window: z.number().exactOptional(),
    /** What it runs on: "CPU", or the name of the graphics card. */
    device: z.string().exactOptional(),
    layersOnGpu: z.number().exactOptional(),
    layers: z.number().exactOptional(),
    threads: z.number().exactOptional(),
    /** Bytes of memory of its process. */
    memoryBytes: z.number().exactOptional(),
    /** Tokens a second, reading a prompt and writing an answer, as measured last. */
    readSpeed: z.number().exactOptional(),
    writeSpeed: z.number().exactOptional(),
    /** What had to be made smaller so that it runs, in the order it was tried. */
    steps: z.array(z.enum(["fewer-layers", "cpu", "smaller-window"])).readonly(),
  })
  .readonly();
export type EngineState = z.infer<typeof EngineState>;
