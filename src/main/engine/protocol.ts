import type { WireError } from "../../shared/errors.ts";
import type { ModelEvent, ModelRequest, ToolLevel } from "../../shared/inference.ts";
import type { Settings } from "../../shared/settings.ts";

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

/** How a person wants their models run. The engine gives up some of it where this computer cannot do it. */
export type RunSettings = Pick<Settings, "gpu" | "flashAttention" | "cacheType" | "thinking">;

export interface LoadOptions {
  readonly path: string;
  /** The window wanted; clamped to the trained one. */
  readonly contextTokens: number;
  /** Absent: on the processor, and all else as it is by default. */
  readonly run?: RunSettings;
  /** What an earlier load learnt of this very file. */
  readonly card?: ModelCard;
  /** The person's own choice, above what was found. */
  readonly toolLevel?: ToolLevel;
  /** Of the layers that would fit on the graphics card, only so many: 0 to 1, default 1. */
  readonly gpuShare?: number;
  /** Threads left out of those that were found to be fastest. */
  readonly sparedThreads?: number;
}

/** What the child answers to `load`: the card to remember, and how the model really runs. */
export interface Loaded {
  readonly card: ModelCard;
  readonly window: number;
  /** "CPU", or the name of the graphics card. */
  readonly device: string;
  readonly layers: number;
  readonly layersOnGpu: number;
  readonly threads: number;
  readonly cacheType: RunSettings["cacheType"];
  /** Bytes of memory of the child. */
  readonly memoryBytes: number;
  /** Of the graphics card, in bytes. */
  readonly gpuMemory?: { readonly total: number; readonly free: number };
  /** Changes with everything that a saved state depends on: it fits no other. */
  readonly stateKey: string;
}

/** What a saved state holds. */
export interface StateContent {
  readonly tokens: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** A state that the child may take back instead of reading the chat again. */
export interface SavedState extends StateContent {
  readonly path: string;
}

/** refused: the file is not what was saved. */
export type StateOutcome = "restored" | "refused";

/** To the engine child. Every request has an id; its answers carry it. */
export type EngineRequest =
  | { readonly type: "load"; readonly id: number; readonly options: LoadOptions }
  /** Answered with the StateOutcome, if `state` was of use. */
  | { readonly type: "chat"; readonly id: number; readonly request: ModelRequest; readonly state?: SavedState }
  /** Writes what the model has read to `path`. Answered with its StateContent. */
  | { readonly type: "save"; readonly id: number; readonly path: string; readonly mostBytes: number }
  | { readonly type: "count"; readonly id: number; readonly texts: readonly string[] }
  /** What a file says of itself: its header is read, and nothing loaded. */
  | { readonly type: "inspect"; readonly id: number; readonly path: string }
  | { readonly type: "unload"; readonly id: number }
  | { readonly type: "ping"; readonly id: number }
  /** Asks the request with this id to end; it answers with what it has (finish `aborted`), or error `aborted`. */
  | { readonly type: "abort"; readonly id: number };

/** From the engine child. */
export type EngineReply =
  | { readonly type: "hello"; readonly pid: number; readonly library: string }
  /** With the bytes of memory that the child takes. */
  | { readonly type: "pong"; readonly id: number; readonly memoryBytes?: number }
  /** A load begins: onto "CPU", or the graphics card of this name; and the longest window the model knows. */
  | { readonly type: "begun"; readonly id: number; readonly device: string; readonly trainedWindow: number }
  | { readonly type: "progress"; readonly id: number; readonly done: number; readonly total: number }
  | { readonly type: "events"; readonly id: number; readonly events: readonly ModelEvent[] }
  | { readonly type: "done"; readonly id: number; readonly value: unknown }
  | { readonly type: "error"; readonly id: number; readonly error: WireError };
