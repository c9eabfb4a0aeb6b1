import { z } from "zod";
import { WireError } from "./errors.ts";
import { FinishReason } from "./inference.ts";
import { Usage } from "./message.ts";
import { Trip } from "./network.ts";

/** The states of a turn, in the order of an undisturbed one. */
export const turnStates = ["restore", "compact", "command", "build", "run", "save", "respond", "done"] as const;
export const TurnState = z.enum(turnStates);
export type TurnState = z.infer<typeof TurnState>;

/** How far the run has come; with the turn's rows this is the checkpoint. */
export const Phase = z.enum(["awaiting_model", "awaiting_tools", "tools_completed", "final_response"]);
export type Phase = z.infer<typeof Phase>;

export const StopReason = z.enum([
  "completed",
  "command", // a slash command answered
  "max_iterations",
  "tool_error",
  "error",
  "empty",
  "aborted",
  "needs_user",
  "interrupted", // the app died; set by the next start
]);
export type StopReason = z.infer<typeof StopReason>;

/** One line of a turn's trace. */
export const TraceEntry = z.object({
  turnId: z.string(),
  state: TurnState,
  outcome: z.string(),
  /** Epoch milliseconds. */
  startedAt: z.number(),
  ms: z.number(),
  error: WireError.optional(),
  /** What the step wants seen: iterations, warnings, what was shortened. */
  notes: z.array(z.string()).optional(),
});
export type TraceEntry = z.infer<typeof TraceEntry>;

/**
 * What the last crash left of a turn for the person to decide or to see. interrupted: go on or leave it. unknown: first
 * say of a call whether it happened. undelivered: the answer was whole before anybody saw it.
 */
export const Recovery = z.enum(["interrupted", "unknown", "undelivered"]);
export type Recovery = z.infer<typeof Recovery>;

/** A turn as it is stored. */
export const TurnRecord = z
  .object({
    id: z.string(),
    sessionId: z.string(),
    inboundId: z.string(),
    state: TurnState,
    phase: Phase.exactOptional(),
    iteration: z.number(),
    startedAt: z.number(),
    endedAt: z.number().exactOptional(),
    stopReason: StopReason.exactOptional(),
    usage: Usage.exactOptional(),
    error: WireError.exactOptional(),
    /** Set by the start after a crash; gone once it is decided or seen. */
    recovery: Recovery.exactOptional(),
    /** Where it was when the app died last: a second crash at the same place never goes on by itself. */
    crashPlace: z.string().exactOptional(),
  })
  .readonly();
export type TurnRecord = z.infer<typeof TurnRecord>;

/** One request to the model, as the trace shows it. What was sent is kept beside it. */
export const RequestRecord = z
  .object({
    turnId: z.string(),
    /** 1, 2, … within the turn. */
    number: z.number(),
    /** Epoch milliseconds. */
    startedAt: z.number(),
    model: z.object({ name: z.string(), local: z.boolean(), window: z.number() }).readonly(),
    /** Of the prompt. */
    messages: z.number(),
    tools: z.number(),
    /** From here on: once it is over. */
    ms: z.number().exactOptional(),
    finish: FinishReason.exactOptional(),
    usage: Usage.exactOptional(),
    error: WireError.exactOptional(),
    /** Absent: it stayed in this process and its children. */
    trip: Trip.exactOptional(),
  })
  .readonly();
export type RequestRecord = z.infer<typeof RequestRecord>;

/** How a turn ended. */
export type TurnEnd = Required<Pick<TurnRecord, "stopReason" | "endedAt">> &
  Pick<TurnRecord, "usage" | "error" | "recovery" | "crashPlace">;

export const ToolCallState = z.enum([
  "requested",
  "approved",
  "denied",
  "running",
  "finished",
  "failed",
  "unknown", // it was running when the app died or the tool was given up: it may or may not have happened
  "skipped", // it never started and never will
]);
export type ToolCallState = z.infer<typeof ToolCallState>;

/** read: no effect. idempotent: the same call twice is the same as once. once: never repeated by itself. */
export const ToolClass = z.enum(["read", "idempotent", "once"]);
export type ToolClass = z.infer<typeof ToolClass>;

export const ToolCallRecord = z
  .object({
    id: z.string(),
    turnId: z.string(),
    messageId: z.number(),
    name: z.string(),
    class: ToolClass,
    state: ToolCallState,
    startedAt: z.number().exactOptional(),
    endedAt: z.number().exactOptional(),
    summary: z.string().exactOptional(),
  })
  .readonly();
export type ToolCallRecord = z.infer<typeof ToolCallRecord>;

/** What the person found out about a call whose outcome is unknown. */
export const Decision = z.enum(["happened", "not-happened", "again"]);
export type Decision = z.infer<typeof Decision>;

/** What becomes of a call; what is not named stays. */
export type ToolCallChange = Pick<ToolCallRecord, "state" | "startedAt" | "endedAt" | "summary">;

export interface Session {
  readonly id: string;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The model chosen for this session with /model; absent: the default. */
  readonly model?: string;
}

/** A message as it was accepted from a channel: on disk before it is acknowledged. */
export const Inbound = z
  .object({
    id: z.string(),
    sessionId: z.string(),
    channel: z.string(),
    text: z.string(),
    /** accepted → taken (its turn began) or injected (into the running turn `turnId`) → saved; or draft, after a stop. */
    state: z.enum(["accepted", "taken", "injected", "saved", "draft"]),
    createdAt: z.number(),
    /** The running turn that took it in as a follow-up. */
    turnId: z.string().exactOptional(),
    /** The person wants it answered after the running turn, not in it. */
    after: z.boolean().exactOptional(),
    /** The turn that this message asks again, perhaps in other words: both stay, one is shown. */
    replaces: z.string().exactOptional(),
  })
  .readonly();
export type Inbound = z.infer<typeof Inbound>;
