import type { ModelEvent, ModelInfo, ModelRequest } from "../../shared/inference.ts";
import type { Progress } from "../lib/progress.ts";

/** A model behind one streaming road. Nothing here knows llama.cpp or a vendor; "not streaming" is collecting the stream. */
export interface Provider {
  /** Makes the model ready and says what it is. Repeated calls are cheap. Throws AppError (model-missing, model-invalid, …). */
  open(signal: AbortSignal, onProgress?: Progress): Promise<ModelInfo>;
  /** Tokens of each text by the model's own tokenizer. */
  countTokens(texts: readonly string[]): Promise<number[]>;
  /** One answer. Stops soon after `signal` aborts, with finish `aborted`; throws AppError when it cannot go on. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Lets go of processes and memory. */
  close(): Promise<void>;
}
