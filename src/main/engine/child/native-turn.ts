import {
  type ChatWrapper,
  type LlamaChatResponse,
  type LlamaChatResponseFunctionCallParamsChunk,
  type LlamaModel,
  LlamaText,
  SpecialTokensText,
  type Token,
  TokenBias,
} from "node-llama-cpp";
import type { FinishReason, ModelRequest } from "../../../shared/inference.ts";
import { ArgumentStream } from "./argument-stream.ts";
import { type RawCall, toChatHistory } from "./history.ts";
import type { Engine } from "./load.ts";
import { noShape, type Shape } from "./schema.ts";
import { toFunctions } from "./tool-functions.ts";
import type { Emit, ToolTurn, TurnOptions } from "./tool-turn.ts";
import { hasThoughts } from "./wrapper.ts";

/** A turn in the wrapper's own syntax for tools, with arguments that grammar holds to their schema. Calls are told, never run. */
export function nativeTurn(engine: Engine, request: ModelRequest, emit: Emit): ToolTurn {
  const { wrapper, card, model } = engine;
  const { functions, shapes } = toFunctions(request.tools);
  const calls = new CallReporter(card.key, shapes, emit);
  return {
    history: toChatHistory(request.messages, { level: "native", key: card.key, thoughts: hasThoughts(wrapper) }),
    tools: functions,
    options:
      request.toolChoice === "none"
        ? forbidCalls(model, wrapper)
        : {
            functions,
            // Without it, whatever follows a call is forced to be another call.
            maxParallelFunctionCalls: 1,
            onFunctionCallParamsChunk: (chunk) => calls.push(chunk),
          },
    onText: (text) => emit({ type: "text", text }),
    end: (response) => calls.end(response),
  };
}

/** The tools stay in the prompt; a call that begins all the same ends the answer. */
function forbidCalls(model: LlamaModel, { settings }: ChatWrapper): TurnOptions {
  const { call } = settings.functions;
  const section = settings.functions.parallelism?.call.sectionPrefix ?? "";
  const prefixes = [call.prefix, ...(call.prefixAlternateMatches ?? [])].map((prefix) => LlamaText([section, prefix]));
  const starts = prefixes.flatMap(({ values }) => {
    const marker = values.find((value) => value !== "");
    const start = marker instanceof SpecialTokensText ? marker.tokenize(model.tokenizer)[0] : undefined;
    return start !== undefined && isMarker(model, start) ? [start] : [];
  });
  const tokenBias = TokenBias.for(model);
  for (const start of starts) tokenBias.set(start, "never");
  return { customStopTriggers: prefixes, ...(starts.length > 0 && { tokenBias }) };
}

/** A token that stands for a marker as a whole; a piece of its text is needed elsewhere. */
function isMarker(model: LlamaModel, token: Token): boolean {
  const { control, userDefined } = model.getTokenAttributes(token);
  return control || userDefined;
}

/** Tells calls as events while they are written. */
class CallReporter {
  private readonly key: string;
  private readonly shapes: ReadonlyMap<string, Shape>;
  private readonly emit: Emit;
  private readonly streams: ArgumentStream[] = [];

  constructor(key: string, shapes: ReadonlyMap<string, Shape>, emit: Emit) {
    this.key = key;
    this.shapes = shapes;
    this.emit = emit;
  }

  push({
    callIndex,
    functionName,
    paramsChunk,
  }: Pick<LlamaChatResponseFunctionCallParamsChunk, "callIndex" | "functionName" | "paramsChunk">): void {
    let stream = this.streams[callIndex];
    if (!stream) {
      stream = new ArgumentStream(this.shapes.get(functionName) ?? noShape);
      this.streams[callIndex] = stream;
      this.emit({ type: "call-start", index: callIndex, name: functionName });
    }
    const text = stream.push(paramsChunk);
    if (text !== "") this.emit({ type: "call-arguments", index: callIndex, text });
  }

  end(response: LlamaChatResponse | undefined): FinishReason | undefined {
    const calls = response?.functionCalls ?? [];
    calls.forEach(({ functionName, params, raw }, index) => {
      if (!this.streams[index])
        this.push({ callIndex: index, functionName, paramsChunk: JSON.stringify(params ?? {}) });
      this.emit({ type: "call-end", index, raw: { key: this.key, text: raw } satisfies RawCall });
    });
    if (response) return calls.length > 0 ? "tool_calls" : undefined;
    // Arguments that the grammar let pass and the library's check did not: whole, for the runner to judge.
    const whole = [...this.streams.keys()].filter((index) => this.streams[index]?.complete);
    for (const index of whole) this.emit({ type: "call-end", index });
    return whole.length > 0 ? "tool_calls" : undefined;
  }
}
