import { z } from "zod";
import { ErrorCode, WireError } from "./errors.ts";
import { Goal } from "./goal.ts";
import { Message, Origin, Usage } from "./message.ts";
import { RetryWait } from "./network.ts";
import { Phase, RequestRecord, StopReason, TraceEntry, TurnState } from "./turn.ts";

const about = { sessionId: z.string(), turnId: z.string() };

/**
 * What a turn tells its listeners. `ask --json` prints one of these a line on stdout.
 * Between `turn.started` and `turn.ended` (each exactly once in one run of a turn) the order is the order of things as
 * they happened. A turn that goes on after a crash starts again, with `continued`.
 */
export const TurnEvent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("turn.started"),
    ...about,
    inboundId: z.string(),
    /** It goes on where a crash interrupted it: its rows are there already. */
    continued: z.boolean().optional(),
  }),
  /** A follow-up was taken into the running turn: its row. */
  z.object({ type: z.literal("injected"), ...about, inboundId: z.string(), message: Message }),
  /** The run has come to a new phase, and it is on disk. */
  z.object({ type: z.literal("checkpoint"), ...about, phase: Phase, iteration: z.number(), at: z.number() }),
  z.object({ type: z.literal("goal"), ...about, goal: Goal }),
  /** Something was decided about a turn that a crash interrupted: read it anew. The only event about a turn that does not run. */
  z.object({ type: z.literal("settled"), ...about }),
  /** A state was passed; `next` is the one the turn is in now. */
  z.object({ type: z.literal("state"), sessionId: z.string(), next: TurnState, ...TraceEntry.shape }),
  /** A request to the model begins; told again with its figures when it is over. */
  z.object({ type: z.literal("request"), sessionId: z.string(), turnId: z.string(), request: RequestRecord }),
  /** The model's side could not answer; the next try begins by itself. The next `request` ends it. */
  z.object({ type: z.literal("retry"), ...about, wait: RetryWait }),
  /** fetching and loading: bytes of the model; reading: tokens of the prompt (`reused` of them were not read again). */
  z.object({
    type: z.literal("progress"),
    ...about,
    phase: z.enum(["fetching", "loading", "reading"]),
    done: z.number(),
    total: z.number(),
    reused: z.number().optional(),
  }),
  /** New text of the answer, never repeated. A new `messageId` is a new bubble. */
  z.object({ type: z.literal("delta"), ...about, messageId: z.number(), text: z.string() }),
  z.object({ type: z.literal("reasoning"), ...about, messageId: z.number(), text: z.string() }),
  z.object({
    type: z.literal("tool"),
    ...about,
    callId: z.string(),
    name: z.string(),
    origin: Origin,
    phase: z.enum(["start", "end"]),
    input: z.unknown().optional(),
    ok: z.boolean().optional(),
    summary: z.string().optional(),
    ms: z.number().optional(),
  }),
  /** Something the person should know that is not an error of the turn. */
  z.object({ type: z.literal("notice"), ...about, code: ErrorCode.or(z.literal("info")), text: z.string() }),
  /** Something failed before there was a turn; nothing was accepted. */
  z.object({ type: z.literal("error"), error: WireError }),
  z.object({
    type: z.literal("turn.ended"),
    ...about,
    stopReason: StopReason,
    text: z.string(),
    usage: Usage.optional(),
    error: WireError.optional(),
    /** `/new` moved the conversation to this session. */
    nextSessionId: z.string().optional(),
  }),
]);
export type TurnEvent = z.infer<typeof TurnEvent>;
