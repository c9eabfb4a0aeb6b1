import { z } from "zod";
import type { Place } from "./cloud.ts";
import type { Part, Usage } from "./message.ts";
import type { Trip } from "./network.ts";

/** What a model is given to read. Tool results stand in `tool` messages, in the order of their calls. */
export interface PromptMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly parts: readonly Part[];
}

/** A tool as a model sees it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema (draft 2020-12) of the arguments: an object. */
  readonly inputSchema: object;
}

/**
 * How a model may use tools (local-models.md §10).
 * native: its template has a syntax for them. forced: one JSON object under grammar.
 * named: it never chooses; what the user's message names is read before the first request.
 */
export type ToolLevel = "native" | "forced" | "named";

/** What is known of a model once it can be used. */
export interface ModelInfo {
  /** Changes when the file, its template or its settings change: raw parts are only valid under the same key. */
  readonly key: string;
  readonly name: string;
  /** Tokens of prompt and answer together. */
  readonly window: number;
  readonly maxOutputTokens: number;
  readonly toolLevel: ToolLevel;
  /** Small models get a short system prompt. Absent: unknown or large. */
  readonly parameters?: number;
  /** Whether a prompt that ends in an assistant message is continued at its very end, or has to be asked for. */
  readonly continues: "in-place" | "by-asking";
  /** It runs in the engine of Lares. */
  readonly local: boolean;
  /** Where its requests go; absent: nowhere. */
  readonly to?: { readonly host: string; readonly place: Place };
  /** It reads images. */
  readonly vision: boolean;
  /** What a person should know of how it runs: each is given once. */
  readonly notices?: readonly string[];
}

export interface ModelRequest {
  /** Requests of one session share a prefix: a provider may keep what it read of it. */
  readonly sessionId: string;
  /** The turn it is made for: the ledger names it. */
  readonly turnId: string;
  readonly messages: readonly PromptMessage[];
  /** Always the same list in the same order within a session, so that the prefix stays. */
  readonly tools: readonly ToolSpec[];
  /** none: the tools stay in the prompt but may not be called. */
  readonly toolChoice: "auto" | "none";
  readonly maxOutputTokens: number;
  readonly sampling: {
    readonly temperature: number;
    readonly topP?: number;
    readonly topK?: number;
    readonly seed?: number;
  };
}

export const FinishReason = z.enum([
  "stop",
  "tool_calls",
  "function_call",
  "length",
  "refusal",
  "content_filter",
  "error",
  "aborted",
]);
export type FinishReason = z.infer<typeof FinishReason>;

/**
 * What a model says, in order. A call is whole only when its `call-end` has come; what has no end is never run.
 * A stream ends with one `finish`; failures are thrown as AppError (context-overflow, engine-crashed, …).
 */
export type ModelEvent =
  | {
      readonly type: "progress";
      readonly phase: "loading" | "reading";
      readonly done: number;
      readonly total: number;
      readonly reused?: number;
    }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string; readonly raw?: unknown }
  | { readonly type: "call-start"; readonly index: number; readonly name: string; readonly id?: string }
  | { readonly type: "call-arguments"; readonly index: number; readonly text: string }
  | { readonly type: "call-end"; readonly index: number; readonly raw?: unknown }
  /** What left this computer, byte for byte, told before any answer; and what crossed, once that is known. */
  | { readonly type: "sent"; readonly body: string; readonly trip: Trip }
  | { readonly type: "trip"; readonly trip: Trip }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "finish"; readonly reason: FinishReason };
