import { z } from "zod";
import { WireError } from "./errors.ts";
import type { Usage } from "./message.ts";

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

/** A turn as it is stored. */
export interface TurnRecord {
  readonly id: string;
  readonly sessionId: string;
  readonly inboundId: string;
  readonly state: TurnState;
  readonly phase?: Phase;
  readonly iteration: number;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly stopReason?: StopReason;
  readonly usage?: Usage;
  readonly error?: WireError;
}

/** How a turn ended. */
export type TurnEnd = Required<Pick<TurnRecord, "stopReason" | "endedAt">> & Pick<TurnRecord, "usage" | "error">;

export const ToolCallState = z.enum(["requested", "approved", "denied", "running", "finished", "failed", "unknown"]);
export type ToolCallState = z.infer<typeof ToolCallState>;

/** read: no effect. idempotent: the same call twice is the same as once. once: never repeated by itself. */
export const ToolClass = z.enum(["read", "idempotent", "once"]);
export type ToolClass = z.infer<typeof ToolClass>;

export interface ToolCallRecord {
  readonly id: string;
  readonly turnId: string;
  readonly messageId: number;
  readonly name: string;
  readonly class: ToolClass;
  readonly state: ToolCallState;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly summary?: string;
}

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
export interface Inbound {
  readonly id: string;
  readonly sessionId: string;
  readonly channel: string;
  readonly text: string;
  /** accepted → taken (by a turn) → saved; or draft, after a stop. */
  readonly state: "accepted" | "taken" | "saved" | "draft";
  readonly createdAt: number;
}
