import { z } from "zod";
import { AppError, WireError } from "../../shared/errors.ts";
import { FinishReason, type ModelEvent } from "../../shared/inference.ts";
import { Usage } from "../../shared/message.ts";
import { ModelFacts } from "../../shared/views.ts";
import type { ModelShape } from "./memory.ts";
import type { EngineReply, Loaded, ModelCard, StateContent } from "./protocol.ts";

// A process that reads hostile files is not believed: everything it says is checked before it goes further.
const amount = z.number().nonnegative();
const index = z.int().nonnegative();
const raw = z.unknown().optional();

const Event: z.ZodType<ModelEvent> = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("progress"),
    phase: z.enum(["loading", "reading"]),
    done: amount,
    total: amount,
    reused: amount.exactOptional(),
  }),
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("reasoning"), text: z.string(), raw }),
  z.object({ type: z.literal("call-start"), index, name: z.string(), id: z.string().exactOptional() }),
  z.object({ type: z.literal("call-arguments"), index, text: z.string() }),
  z.object({ type: z.literal("call-end"), index, raw }),
  z.object({ type: z.literal("usage"), usage: Usage }),
  z.object({ type: z.literal("finish"), reason: FinishReason }),
]);

const id = z.int();

const Reply: z.ZodType<EngineReply> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("hello"), pid: z.int(), library: z.string() }),
  z.object({ type: z.literal("pong"), id, memoryBytes: amount.exactOptional() }),
  z.object({ type: z.literal("begun"), id, device: z.string(), trainedWindow: amount }),
  z.object({ type: z.literal("progress"), id, done: amount, total: amount }),
  z.object({ type: z.literal("events"), id, events: z.array(Event) }),
  z.object({ type: z.literal("done"), id, value: z.unknown() }),
  z.object({ type: z.literal("error"), id, error: WireError }),
]);

/** What the child said, or undefined when it is not of the protocol. */
export function readReply(message: unknown): EngineReply | undefined {
  return Reply.safeParse(message).data;
}

export const Card: z.ZodType<ModelCard> = z.object({
  key: z.string().min(1),
  name: z.string(),
  architecture: z.string(),
  parameters: amount,
  trainedWindow: amount,
  wrapper: z.string(),
  threads: z.int().positive(),
  toolLevel: z.enum(["native", "forced", "named"]),
  tokensPerSecond: amount,
});

/** The child's answers to `load`, `count` and `inspect`. */
export const LoadedReply: z.ZodType<Loaded> = z.object({
  card: Card,
  window: z.int().positive(),
  device: z.string().min(1),
  layers: index,
  layersOnGpu: index,
  threads: z.int().positive(),
  cacheType: z.enum(["f16", "q8_0"]),
  memoryBytes: amount,
  gpuMemory: z.object({ total: amount, free: amount }).exactOptional(),
  stateKey: z.string().min(1),
});
/** The child's answers to `chat` and `save`. */
export const ChatReply = z.enum(["restored", "refused"]).optional();
export const SaveReply: z.ZodType<StateContent> = z.object({ tokens: index, bytes: index, sha256: z.hash("sha256") });
export const CountReply = z.array(index);

const Shape: z.ZodType<ModelShape> = z.object({
  bytes: amount,
  repacked: amount,
  trainedWindow: amount,
  width: amount,
  feedForward: amount,
  heads: amount,
  vocabulary: amount,
  perToken: amount,
  slidingPerToken: amount,
  slidingWindow: amount,
  fixed: amount,
});

export const FactsReply = ModelFacts.unwrap()
  .omit({ memory: true, largestWindow: true, fit: true })
  .extend({ shape: Shape });
/** What a file says of itself, and what decides on the memory it takes. */
export type FileFacts = Readonly<z.infer<typeof FactsReply>>;

/** An answer of another shape is the child's failure. */
export function understood<T>(value: T | undefined): T {
  if (value === undefined)
    throw new AppError("provider-failed", "The local engine gave an answer that makes no sense.");
  return value;
}
