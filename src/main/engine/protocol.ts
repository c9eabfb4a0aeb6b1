import type { WireError } from "../../shared/errors.ts";
import type { ModelEvent, ModelRequest, ToolLevel } from "../../shared/inference.ts";

/** What is learnt of a file once and remembered, so that the next load is fast. Keyed by path, size and time of change. */
export interface ModelCard {
  /** Hash of what identifies the file and its settings; ModelInfo.key. */
  readonly key: string;
  readonly name: string;
  readonly architecture: string;
  readonly parameters: number;
  readonly trainedWindow: number;
  /** Name of the chat wrapper that fits the template, as node-llama-cpp resolves it by name. */
  readonly wrapper: string;
  /** Threads that were fastest when they were measured on this computer. */
  readonly threads: number;
  readonly toolLevel: ToolLevel;
  /** Decode speed measured with `threads`, tokens/s. */
  readonly tokensPerSecond: number;
}

export interface LoadOptions {
  readonly path: string;
  /** The window wanted; clamped to the trained one. */
  readonly contextTokens: number;
  /** What an earlier load learnt of this very file. */
  readonly card?: ModelCard;
  /** The person's own choice, above what was found. */
  readonly toolLevel?: ToolLevel;
}

/** What the child answers to `load`: the card to remember, and the window it really has. */
export interface Loaded {
  readonly card: ModelCard;
  readonly window: number;
}

/** To the engine child. Every request has an id; its answers carry it. */
export type EngineRequest =
  | { readonly type: "load"; readonly id: number; readonly options: LoadOptions }
  | { readonly type: "chat"; readonly id: number; readonly request: ModelRequest }
  | { readonly type: "count"; readonly id: number; readonly texts: readonly string[] }
  | { readonly type: "unload"; readonly id: number }
  | { readonly type: "ping"; readonly id: number }
  /** Asks the request with this id to end; it answers with what it has (finish `aborted`), or error `aborted`. */
  | { readonly type: "abort"; readonly id: number };

/** From the engine child. */
export type EngineReply =
  | { readonly type: "hello"; readonly pid: number; readonly library: string }
  | { readonly type: "pong"; readonly id: number }
  | { readonly type: "progress"; readonly id: number; readonly done: number; readonly total: number }
  | { readonly type: "events"; readonly id: number; readonly events: readonly ModelEvent[] }
  | { readonly type: "done"; readonly id: number; readonly value: unknown }
  | { readonly type: "error"; readonly id: number; readonly error: WireError };
