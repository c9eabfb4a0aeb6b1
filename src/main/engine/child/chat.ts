import {
  type ChatHistoryItem,
  type ChatWrapper,
  type LLamaChatGenerateResponseOptions,
  LlamaChat,
  type LlamaChatResponse,
  type LlamaChatResponseChunk,
  type LlamaChatResponseFunctionCallParamsChunk,
  type Token,
} from "node-llama-cpp";
import { AppError } from "../../../shared/errors.ts";
import type { FinishReason, ModelRequest } from "../../../shared/inference.ts";
import type { SavedState, StateOutcome } from "../protocol.ts";
import { forcedTurn } from "./forced-turn.ts";
import type { Engine } from "./load.ts";
import { nativeTurn } from "./native-turn.ts";
import { readPrompt } from "./prefill.ts";
import { restoreState } from "./state.ts";
import { type Emit, plainTurn, type ToolTurn } from "./tool-turn.ts";
import { decorateWrapper, hasThoughts } from "./wrapper.ts";

/** Room for an answer that a prompt must leave: as much as is wanted, but within these. */
const leastRoom = 64;
const mostRoom = 256;
/** Tokens that the library adds to an answer, around a call for one. At the end of the window it would drop the oldest messages. */
const margin = 32;
const thoughtShare = 0.75;

const finishReasons: Record<LlamaChatResponse["metadata"]["stopReason"], FinishReason> = {
  eogToken: "stop",
  stopGenerationTrigger: "stop",
  customStopTrigger: "stop",
  functionCalls: "tool_calls",
  maxTokens: "length",
  abort: "aborted",
};

/**
 * One answer, told as events; the last two are `usage` and `finish`. Returns what became of `state`, if it was of use.
 * Throws AppError, context-overflow among others.
 */
export async function answer(
  engine: Engine,
  request: ModelRequest,
  emit: Emit,
  signal: AbortSignal,
  state?: SavedState,
): Promise<StateOutcome | undefined> {
  try {
    return await readAndAnswer(engine, request, emit, signal, state);
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new AppError("provider-failed", `${engine.card.name} broke off: ${why}. Try again.`, thrown);
  }
}

async function readAndAnswer(
  engine: Engine,
  request: ModelRequest,
  emit: Emit,
  signal: AbortSignal,
  state: SavedState | undefined,
): Promise<StateOutcome | undefined> {
  const start = performance.now();
  const { sequence, pace, guard } = engine;
  guard.begin();
  const turn = await prepareTurn(engine, request, emit);
  const wrapper = decorateWrapper(engine.wrapper, { dropBos: engine.dropBos, tools: turn.tools });
  const prompt = renderPrompt(engine, wrapper, turn.history);
  const maxTokens = roomFor(engine, prompt.length, request.maxOutputTokens);
  const outcome = state && (await restoreState(engine, prompt, state, signal));
  const before = sequence.tokenMeter.getState();
  const progress = (done: number, reused: number) =>
    emit({ type: "progress", phase: "reading", done, total: prompt.length, reused });
  const reusedTokens = await readPrompt(sequence, prompt, { pace, guard, signal, progress });
  let firstToken = 0;
  const noteToken = () => {
    firstToken ||= performance.now();
    guard.token();
  };
  const options = {
    ...turn.options,
    ...samplingOf(request),
    ...callbacksOf(turn, engine.card.key, emit, noteToken),
    ...thoughtBudget(wrapper, maxTokens),
    maxTokens,
    signal,
    stopOnAbortSignal: true,
  } as LLamaChatGenerateResponseOptions;
  const reason = signal.aborted ? "aborted" : await generate(engine, wrapper, turn, options);
  const end = performance.now();
  firstToken ||= end;
  const usage = {
    inputTokens: prompt.length,
    reusedTokens,
    outputTokens: sequence.tokenMeter.diff(before).usedOutputTokens,
    firstTokenMs: Math.round(firstToken - start),
    decodeMs: Math.round(end - firstToken),
  };
  emit({ type: "usage", usage });
  emit({ type: "finish", reason });
  return outcome;
}

async function prepareTurn(engine: Engine, request: ModelRequest, emit: Emit): Promise<ToolTurn> {
  if (engine.card.toolLevel === "native") return nativeTurn(engine, request, emit);
  if (engine.card.toolLevel === "forced" && request.tools.length > 0) return forcedTurn(engine, request, emit);
  return plainTurn(engine, request, emit);
}

function renderPrompt({ model }: Engine, wrapper: ChatWrapper, history: readonly ChatHistoryItem[]): Token[] {
  // The library asks for the answer in the same way: its prompt has to be this one, token by token.
  const chatHistory =
    history.at(-1)?.type === "model" ? history : [...history, { type: "model" as const, response: [] }];
  return wrapper.generateContextState({ chatHistory }).contextText.tokenize(model.tokenizer);
}

/** How many tokens the answer may have. Throws context-overflow when the prompt leaves too few. */
function roomFor({ window, card }: Engine, promptTokens: number, wanted: number): number {
  const largest = window - Math.max(leastRoom, Math.min(wanted, mostRoom));
  if (promptTokens <= largest) return Math.max(1, Math.min(wanted, window - promptTokens - margin));
  throw new AppError(
    "context-overflow",
    `The conversation has ${promptTokens} tokens, and ${card.name} can take ${largest} of its window of ${window}. Shorten it, or choose a larger window.`,
  );
}

const samplingOf = ({ sampling: { temperature, topP, topK, seed } }: ModelRequest) => ({
  temperature,
  ...(topP !== undefined && { topP }),
  ...(topK !== undefined && { topK }),
  ...(seed !== undefined && { seed }),
  // On by default, it spoils short factual answers, code and JSON.
  repeatPenalty: false,
});

/** Thoughts without end would leave nothing for the answer. */
const thoughtBudget = (wrapper: ChatWrapper, maxTokens: number) =>
  hasThoughts(wrapper) ? { budgets: { thoughtTokens: Math.ceil(maxTokens * thoughtShare) } } : {};

/** The turn's callbacks; `noteToken` is called with each token. Thoughts are marked with `key`: no other model is shown them. */
function callbacksOf({ options, onText }: ToolTurn, key: string, emit: Emit, noteToken: () => void) {
  const { onFunctionCallParamsChunk } = options;
  let isThinking = false;
  return {
    onResponseChunk({ type, text }: LlamaChatResponseChunk): void {
      noteToken();
      if (text === "") return;
      const goesOn = isThinking;
      isThinking = type === "segment";
      if (isThinking) emit({ type: "reasoning", text, ...(!goesOn && { raw: { key } }) });
      else onText(text);
    },
    ...(onFunctionCallParamsChunk && {
      onFunctionCallParamsChunk(chunk: LlamaChatResponseFunctionCallParamsChunk): void {
        noteToken();
        onFunctionCallParamsChunk(chunk);
      },
    }),
  };
}

async function generate(
  { sequence }: Engine,
  chatWrapper: ChatWrapper,
  turn: ToolTurn,
  options: LLamaChatGenerateResponseOptions,
): Promise<FinishReason> {
  const chat = new LlamaChat({ contextSequence: sequence, chatWrapper });
  try {
    const response = await chat.generateResponse(turn.history, options);
    return turn.end(response) ?? finishReasons[response.metadata.stopReason];
  } catch (thrown) {
    if (options.signal?.aborted) return "aborted";
    const reason = turn.end(undefined);
    if (reason === undefined) throw thrown;
    return reason;
  } finally {
    chat.dispose({ disposeSequence: false });
  }
}
