import type { Provider } from "../../../src/main/providers/provider.ts";
import { type AppError, toAppError } from "../../../src/shared/errors.ts";
import type { FinishReason, ModelEvent, ModelRequest } from "../../../src/shared/inference.ts";
import { type Part, textOf, type Usage, withStreamed } from "../../../src/shared/message.ts";

export interface HeardCall {
  name: string;
  arguments: string;
  ended: boolean;
  raw?: unknown;
}

/** What came of a request, as the runner would keep it. */
export interface Heard {
  readonly events: readonly ModelEvent[];
  readonly parts: readonly Part[];
  readonly calls: readonly HeardCall[];
  readonly usage?: Usage;
  readonly finish?: FinishReason;
  readonly error?: AppError;
}

/** Collects a stream to its end; a failure is part of what was heard. */
export async function hear(
  provider: Pick<Provider, "stream">,
  request: ModelRequest,
  {
    signal = new AbortController().signal,
    onEvent,
  }: { signal?: AbortSignal; onEvent?: (event: ModelEvent) => void } = {},
): Promise<Heard> {
  const events: ModelEvent[] = [];
  let error: AppError | undefined;
  try {
    for await (const event of provider.stream(request, signal)) {
      events.push(event);
      onEvent?.(event);
    }
  } catch (thrown) {
    error = toAppError(thrown);
  }
  const finishes = events.filter((event) => event.type === "finish");
  if (finishes.length > 1) throw new Error("A stream ended twice.");
  const usage = events.findLast((event) => event.type === "usage")?.usage;
  const finish = finishes[0]?.reason;
  return {
    ...{ events, parts: partsIn(events), calls: callsIn(events) },
    ...(usage && { usage }),
    ...(finish && { finish }),
    ...(error && { error }),
  };
}

function partsIn(events: readonly ModelEvent[]): readonly Part[] {
  let parts: readonly Part[] = [];
  for (const event of events) {
    if (event.type === "text") parts = withStreamed(parts, "text", event.text);
    if (event.type === "reasoning") parts = withStreamed(parts, "reasoning", event.text, event.raw);
  }
  return parts;
}

function callsIn(events: readonly ModelEvent[]): HeardCall[] {
  const calls = new Map<number, HeardCall>();
  for (const event of events) if ("index" in event) hearCall(calls, event);
  return [...calls.values()];
}

/** A call begins once, goes on only in between, and ends once. */
function hearCall(calls: Map<number, HeardCall>, event: Extract<ModelEvent, { index: number }>): void {
  const call = calls.get(event.index);
  if (event.type === "call-start") {
    if (call) throw new Error(`Call ${event.index} began twice.`);
    calls.set(event.index, { name: event.name, arguments: "", ended: false });
    return;
  }
  if (!call || call.ended) throw new Error(`Call ${event.index} went on outside its begin and end.`);
  if (event.type === "call-arguments") call.arguments += event.text;
  else Object.assign(call, { ended: true, ...(event.raw !== undefined && { raw: event.raw }) });
}

export const saidText = ({ parts }: Heard): string => textOf(parts);
export const saidReasoning = ({ parts }: Heard): string =>
  parts.map((part) => (part.type === "reasoning" ? part.text : "")).join("");

/** The parts of the row that the runner would write: what was streamed, then the whole calls under its own ids. */
export const rowParts = ({ parts, calls }: Heard, idOf: (at: number) => string): Part[] => [
  ...parts,
  ...calls
    .filter(({ ended }) => ended)
    .map(
      ({ name, arguments: text, raw }, at): Part => ({
        ...{ type: "tool-call", id: idOf(at), name, input: JSON.parse(text || "{}") },
        ...(raw !== undefined && { raw }),
      }),
    ),
];
