import type { ChatHistoryItem, ChatModelResponse, LlamaTextJSON } from "node-llama-cpp";
import type { PromptMessage, ToolLevel } from "../../../shared/inference.ts";
import { callsOf, type Part, type ToolCallPart, type ToolResultPart, textOf } from "../../../shared/message.ts";

export interface HistoryOptions {
  readonly level: ToolLevel;
  /** The key of the model that reads: spellings and thoughts that another one left behind are not used. */
  readonly key: string;
  /** Whether the wrapper has a place for thoughts; without one they would be printed as the answer. */
  readonly thoughts: boolean;
}

/** A model's own spelling of a call, with the key of the model that wrote it. */
export interface RawCall {
  readonly key: string;
  readonly text: LlamaTextJSON;
}

type ResponseItem = ChatModelResponse["response"][number];

/**
 * Messages in the library's terms. With native tools all that the model said and was told between two user messages is
 * one item; otherwise calls and results are plain text.
 */
export function toChatHistory(messages: readonly PromptMessage[], options: HistoryOptions): ChatHistoryItem[] {
  const results = new Map(messages.flatMap(({ parts }) => parts.filter(isResult)).map((part) => [part.callId, part]));
  const history: ChatHistoryItem[] = [];
  messages.forEach(({ role, parts }, at) => {
    if (role === "system") history.push({ type: "system", text: promptText(parts) });
    else if (role === "user") history.push({ type: "user", text: promptText(parts) });
    else if (role === "assistant")
      addResponse(history, toResponse(parts, results, options, at === messages.length - 1));
    else if (options.level !== "native")
      for (const result of parts.filter(isResult)) history.push(resultAsText(result));
  });
  return history;
}

const isResult = (part: Part): part is ToolResultPart => part.type === "tool-result";

/** What a person or Lares says; the parts stand in the order in which the agent has put them. */
const promptText = (parts: readonly Part[]): string =>
  parts
    .flatMap((part) => {
      if (part.type === "text" || part.type === "context") return [part.text];
      return part.type === "image" ? [imageNote(part.name)] : [];
    })
    .join("\n\n");

/** Told, and not left out: the model must not answer as if nothing had been shown to it. */
const imageNote = (name = "without a name"): string => `[image: ${name} – this model cannot see images]`;

function addResponse(history: ChatHistoryItem[], response: ResponseItem[]): void {
  if (response.length === 0) return;
  const last = history.at(-1);
  if (last?.type !== "model") history.push({ type: "model", response });
  else history[history.length - 1] = { type: "model", response: [...last.response, ...response] };
}

function toResponse(
  parts: readonly Part[],
  results: ReadonlyMap<string, ToolResultPart>,
  options: HistoryOptions,
  isLast: boolean,
): ResponseItem[] {
  if (options.level === "forced") return forcedResponse(parts, isLast);
  const firstCall = callsOf(parts)[0];
  return parts.flatMap((part): ResponseItem[] => {
    if (part.type === "text") return part.text === "" ? [] : [part.text];
    if (part.type === "reasoning" && options.thoughts && isOf(part.raw, options.key))
      return [{ type: "segment", segmentType: "thought", text: part.text, ended: true }];
    if (part.type === "tool-call" && options.level === "native")
      return [toFunctionCall(part, results.get(part.id), options.key, part === firstCall)];
    return [];
  });
}

function toFunctionCall(
  { name, input, raw }: ToolCallPart,
  result: ToolResultPart | undefined,
  key: string,
  startsNewChunk: boolean,
): ResponseItem {
  return {
    type: "functionCall",
    name,
    params: input,
    // The library prints a missing result as "void", which reads like a success.
    result: result?.text ?? "No result: the call was interrupted and its outcome is unknown.",
    ...(isRawCall(raw) && isOf(raw, key) && { rawCall: raw.text }),
    startsNewChunk,
  };
}

/** What another model thought, or one that nobody knows, is not shown to this one. */
const isOf = (raw: unknown, key: string): boolean =>
  typeof raw === "object" && raw !== null && "key" in raw && raw.key === key;

const isRawCall = (raw: unknown): raw is RawCall => typeof raw === "object" && raw !== null && "text" in raw;

/** What a model that is held to one JSON object said: in the same form, so that it goes on in it. */
function forcedResponse(parts: readonly Part[], isLast: boolean): ResponseItem[] {
  const calls = callsOf(parts).map(({ name, input }) => JSON.stringify({ tool: name, arguments: input }));
  if (calls.length > 0) return [calls.join("\n")];
  const text = textOf(parts);
  if (text === "") return [];
  const answer = JSON.stringify({ answer: text });
  return [isLast ? answer.slice(0, -2) : answer];
}

const resultAsText = ({ name, text }: ToolResultPart): ChatHistoryItem => ({
  type: "user",
  text: `Result of ${name}:\n${text}`,
});
