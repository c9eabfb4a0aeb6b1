import type {
  ChatHistoryItem,
  ChatModelFunctions,
  LlamaChatResponse,
  LlamaChatResponseFunctionCallParamsChunk,
  LlamaGrammar,
  LlamaText,
  TokenBias,
} from "node-llama-cpp";
import type { FinishReason, ModelEvent, ModelRequest } from "../../../shared/inference.ts";
import { toChatHistory } from "./history.ts";
import type { Engine } from "./load.ts";
import { hasThoughts } from "./wrapper.ts";

export type Emit = (event: ModelEvent) => void;

/** What a turn adds to the way an answer is generated. */
export interface TurnOptions {
  readonly functions?: ChatModelFunctions;
  readonly grammar?: LlamaGrammar;
  readonly maxParallelFunctionCalls?: number;
  readonly customStopTriggers?: readonly LlamaText[];
  readonly tokenBias?: TokenBias;
  readonly onFunctionCallParamsChunk?: (chunk: LlamaChatResponseFunctionCallParamsChunk) => void;
}

/** How one answer is asked for and understood: what the three levels of tool use differ in. */
export interface ToolTurn {
  readonly history: ChatHistoryItem[];
  /** Told in the prompt. */
  readonly tools?: ChatModelFunctions;
  readonly options: TurnOptions;
  /** Text of the answer, outside of thoughts and native calls. */
  onText(text: string): void;
  /** After the last token; without a response when the library refused what the model had written. */
  end(response: LlamaChatResponse | undefined): FinishReason | undefined;
}

/** A turn in which nothing can be called. */
export function plainTurn({ wrapper, card }: Engine, { messages }: ModelRequest, emit: Emit): ToolTurn {
  return {
    history: toChatHistory(messages, { level: "named", key: card.key, thoughts: hasThoughts(wrapper) }),
    options: {},
    onText: (text) => emit({ type: "text", text }),
    end: () => undefined,
  };
}
