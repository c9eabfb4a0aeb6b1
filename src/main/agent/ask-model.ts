import { type AppError, toAppError } from "../../shared/errors.ts";
import type { FinishReason, ModelEvent, ModelRequest } from "../../shared/inference.ts";
import type { Usage } from "../../shared/message.ts";
import type { Trip } from "../../shared/network.ts";
import type { AnswerRow } from "./answer-row.ts";
import { type TimeLimits, withinLimits } from "./time-limits.ts";

/** A call as the model spelled it, whole. */
export interface SpokenCall {
  readonly name: string;
  readonly arguments: string;
  readonly raw?: unknown;
}

/** One answer of the model, collected. What was streamed is in the answer row. */
export interface Reply {
  readonly finish: FinishReason;
  readonly calls: readonly SpokenCall[];
  /** Calls that began and never ended: they are never run. */
  readonly brokenCalls: number;
  readonly usage?: Usage;
  /** Absent: nothing left this computer. */
  readonly trip?: Trip;
  readonly error?: AppError;
}

interface AskOptions {
  readonly stream: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly limits: TimeLimits;
  readonly answer: AnswerRow;
  /** Text of a continuation passes through here, so that repeated words can be cut. */
  readonly joinText: (text: string) => string;
  readonly onProgress: (event: Extract<ModelEvent, { type: "progress" }>) => void;
  /** What left this computer, byte for byte. */
  readonly onSent: (body: string) => void;
}

interface OpenCall {
  name: string;
  text: string;
  whole: boolean;
  raw?: unknown;
}

/** What has come of an answer so far. */
interface Collected {
  readonly calls: Map<number, OpenCall>;
  finish?: FinishReason;
  usage?: Usage;
  trip?: Trip;
}

/** Sends one request and collects the stream. Never throws: a failure is part of the reply, with all that came before it. */
export async function askModel(options: AskOptions): Promise<Reply> {
  const { stream, request, signal, limits } = options;
  const collected: Collected = { calls: new Map() };
  let error: AppError | undefined;
  try {
    for await (const event of withinLimits((inner) => stream(request, inner), signal, limits)) {
      collect(collected, event, options);
    }
  } catch (thrown) {
    error = toAppError(thrown);
  }
  const { calls, usage, trip, finish } = collected;
  const whole = [...calls.values()].filter((call) => call.whole);
  return {
    finish: finish ?? (error?.code === "aborted" ? "aborted" : "error"),
    calls: whole.map(({ name, text, raw }) => ({ name, arguments: text, ...(raw !== undefined && { raw }) })),
    brokenCalls: calls.size - whole.length,
    ...(usage && { usage }),
    ...(trip && { trip }),
    ...(error && { error }),
  };
}

function collect(collected: Collected, event: ModelEvent, { answer, joinText, onProgress, onSent }: AskOptions): void {
  switch (event.type) {
    case "text":
      answer.push("text", joinText(event.text));
      break;
    case "reasoning":
      answer.push("reasoning", event.text, event.raw);
      break;
    case "progress":
      onProgress(event);
      break;
    case "sent":
      onSent(event.body);
      collected.trip = event.trip;
      break;
    case "trip":
      collected.trip = event.trip;
      break;
    case "usage":
      collected.usage = event.usage;
      break;
    case "finish":
      collected.finish = event.reason;
      break;
    case "call-start":
    case "call-arguments":
    case "call-end":
      collectCall(collected.calls, event);
      break;
    default:
      event satisfies never;
  }
}

function collectCall(
  calls: Map<number, OpenCall>,
  event: Extract<ModelEvent, { type: "call-start" | "call-arguments" | "call-end" }>,
): void {
  const call = calls.get(event.index) ?? { name: "", text: "", whole: false };
  calls.set(event.index, call);
  if (event.type === "call-start") call.name = event.name;
  if (event.type === "call-arguments") call.text += event.text;
  if (event.type === "call-end") {
    call.whole = true;
    call.raw = event.raw;
  }
}
