import type { WireError } from "../../shared/errors.ts";
import type { FinishReason } from "../../shared/inference.ts";
import type { RequestRecord, ToolCallRecord, ToolCallState } from "../../shared/turn.ts";
import type { TurnView } from "../../shared/views.ts";
import { checkpointsOf, type Mark, type Pin } from "./checkpoints.ts";
import type { Fact } from "./fact.ts";
import { callsIn, requestsIn, type Span } from "./run-window.ts";

/** One request to the model. */
export interface StepPart {
  readonly kind: "step";
  readonly key: string;
  readonly number: number;
  readonly facts: readonly Fact[];
  readonly startedAt: number;
  /** Absent: it goes on, or `isLost`. */
  readonly ms?: number;
  /** The app was closed before it was over. */
  readonly isLost: boolean;
  readonly error?: WireError;
}

/** A tool call as a bar: where it lies in the time of its batch, 0 to 1. */
export interface Lane {
  readonly id: string;
  readonly name: string;
  readonly state: ToolCallState;
  readonly from: number;
  readonly width: number;
  readonly ms?: number;
  readonly summary?: string;
}

export type RunPart =
  | StepPart
  | { readonly kind: "tools"; readonly key: string; readonly lanes: readonly Lane[] }
  | Pin;

/** Requests, the tools after each of them, and the checkpoints in between. What was read before the first comes first. */
export function partsOf(view: TurnView, span: Span): RunPart[] {
  const requests = requestsIn(view, span);
  const pins = checkpointsOf(view);
  const before = callsIn(view, { from: span.from, until: requests[0]?.startedAt ?? span.until });
  const named: RunPart[] = before.length > 0 ? [toolsPart("named", before)] : [];
  const steps = requests.flatMap((request, at): RunPart[] => {
    const { number, startedAt } = request;
    const calls = callsIn(view, { from: startedAt, until: requests[at + 1]?.startedAt ?? span.until });
    const tools = calls.length > 0 ? [toolsPart(`${number}-tools`, calls)] : [];
    const marks = (isHere: (mark: Mark) => boolean) => pins.filter(({ step, mark }) => step === number && isHere(mark));
    return [
      ...marks((mark) => mark === "awaiting_model"),
      stepPart(view, request, requests[at - 1]),
      ...marks((mark) => mark === "awaiting_tools"),
      ...tools,
      ...marks((mark) => mark !== "awaiting_model" && mark !== "awaiting_tools"),
    ];
  });
  return [...named, ...steps];
}

function stepPart(view: TurnView, request: RequestRecord, before: RequestRecord | undefined): StepPart {
  const { number, startedAt, ms, error } = request;
  const isLost = ms === undefined && view.turn.state === "done";
  return {
    kind: "step",
    key: `${number}`,
    number,
    facts: [
      ...(before?.error ? [{ word: "trace.again" } as const] : []),
      ...usageFacts(request),
      ...(ms === undefined && !isLost ? progressFacts(view) : []),
      ...finishFacts(request.finish),
      ...(isLost ? [{ word: "trace.notFinished" } as const] : []),
    ],
    startedAt,
    isLost,
    ...(ms !== undefined && { ms }),
    ...(error && { error }),
  };
}

function usageFacts({ usage }: RequestRecord): Fact[] {
  if (!usage) return [];
  const { firstTokenMs, reusedTokens, inputTokens, outputTokens, decodeMs } = usage;
  const facts: Fact[] = [
    { word: "trace.firstToken", figures: { ms: firstTokenMs } },
    { word: "trace.reused", figures: { count: reusedTokens, total: inputTokens } },
    { word: "trace.tokens", figures: { count: outputTokens } },
  ];
  if (decodeMs <= 0 || outputTokens === 0) return facts;
  return [...facts, { word: "trace.perSecond", figures: { count: Math.round((outputTokens * 1000) / decodeMs) } }];
}

/** What the open request is at, before its first token. */
function progressFacts({ progress }: TurnView): Fact[] {
  if (progress?.phase !== "reading") return [];
  return [{ word: "trace.reading", figures: { count: progress.done, total: progress.total } }];
}

/** How a request ended, where it is not the usual way. */
function finishFacts(finish: FinishReason | undefined): Fact[] {
  if (finish === "length") return [{ word: "trace.cutAtLimit" }];
  if (finish === "refusal" || finish === "content_filter") return [{ word: "trace.refused" }];
  return finish === "aborted" ? [{ word: "trace.stopped" }] : [];
}

/** Calls beside each other on one scale: the time from the first start to the last end. */
function toolsPart(key: string, calls: readonly ToolCallRecord[]): RunPart {
  const starts = calls.flatMap(({ startedAt }) => startedAt ?? []);
  const ends = calls.flatMap((call) => endOf(call) ?? call.startedAt ?? []);
  const from = Math.min(...starts);
  const length = Math.max(...ends) - from;
  return { kind: "tools", key, lanes: calls.map((call) => laneOf(call, from, length)) };
}

/** When a call was over. Of one that a crash cut off nobody knows: what is stored is the next start. */
const endOf = ({ state, endedAt }: ToolCallRecord): number | undefined => (state === "unknown" ? undefined : endedAt);

function laneOf(call: ToolCallRecord, first: number, length: number): Lane {
  const { id, name, state, startedAt, summary } = call;
  const start = startedAt ?? first;
  const endedAt = endOf(call);
  const ms = startedAt !== undefined && endedAt !== undefined ? endedAt - startedAt : undefined;
  const from = length > 0 ? (start - first) / length : 0;
  const width = length > 0 && ms !== undefined ? ms / length : 1 - from;
  return { id, name, state, from, width, ...(ms !== undefined && { ms }), ...(summary !== undefined && { summary }) };
}
