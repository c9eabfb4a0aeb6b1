import type { TurnEvent } from "./events.ts";
import { type Message, type Part, withStreamed } from "./message.ts";
import type { Inbound, RequestRecord, ToolCallRecord } from "./turn.ts";
import type { TurnView } from "./views.ts";

/** A turn that has just started, before anything is known of it but its message. */
export function startedView(inbound: Inbound, { turnId, startedAt }: { turnId: string; startedAt: number }): TurnView {
  const { id: inboundId, sessionId } = inbound;
  return {
    turn: { id: turnId, sessionId, inboundId, state: "restore", iteration: 0, startedAt },
    inbound: { ...inbound, state: "taken" },
    rows: [],
    trace: [],
    requests: [],
    calls: [],
    variants: [turnId],
    notices: [],
  };
}

/** A stored turn that goes on: all that it has stays, its end is taken back. */
export function continuedView(view: TurnView): TurnView {
  const { endedAt, stopReason, error, recovery, ...turn } = view.turn;
  return { ...view, turn: { ...turn, state: "run" } };
}

/**
 * A turn after one more of its events. Pure, and the same in main (for the turns that run) and in the page, so that a
 * snapshot and the events after it always give what all events would have given.
 */
export function applyTurnEvent(view: TurnView, event: TurnEvent): TurnView {
  switch (event.type) {
    case "turn.started":
    case "goal":
    case "settled":
    case "error":
      return view;
    case "injected":
      return { ...withoutProgress(view), rows: [...view.rows, event.message] };
    case "checkpoint":
      return { ...view, turn: { ...view.turn, phase: event.phase, iteration: event.iteration } };
    case "state": {
      const { type, sessionId, next, ...entry } = event;
      return { ...withoutProgress(view), turn: { ...view.turn, state: next }, trace: [...view.trace, entry] };
    }
    case "retry":
      return { ...withoutProgress(view), retry: event.wait };
    case "request":
      return { ...withoutRetry(view), requests: withRequest(view.requests, event.request) };
    case "progress": {
      const { phase, done, total, reused } = event;
      return { ...view, progress: { phase, done, total, ...(reused !== undefined && { reused }) } };
    }
    case "delta":
    case "reasoning": {
      const kind = event.type === "delta" ? "text" : "reasoning";
      const grow = (parts: readonly Part[]) => withStreamed(parts, kind, event.text);
      return { ...withoutProgress(view), rows: withRow(view, event.messageId, grow) };
    }
    case "tool":
      return withTool(view, event);
    case "notice":
      return { ...view, notices: [...view.notices, { code: event.code, text: event.text }] };
    case "turn.ended": {
      const { stopReason, error, usage } = event;
      const end = { ...(error && { error }), ...(usage && { usage }) };
      return { ...withoutProgress(view), turn: { ...view.turn, state: "done", stopReason, ...end } };
    }
    default:
      return event satisfies never;
  }
}

function withoutProgress({ progress, retry, ...rest }: TurnView): TurnView {
  return rest;
}

function withoutRetry({ retry, ...rest }: TurnView): TurnView {
  return rest;
}

function withRequest(requests: readonly RequestRecord[], request: RequestRecord): RequestRecord[] {
  return [...requests.filter(({ number }) => number !== request.number), request];
}

/** The rows with one of them grown; a row that is not there yet begins. */
function withRow(view: TurnView, id: number, grow: (parts: readonly Part[]) => Part[]): Message[] {
  const { rows, turn } = view;
  const at = rows.findLastIndex((row) => row.id === id);
  const old = rows[at];
  if (old) return rows.with(at, { ...old, parts: grow(old.parts) });
  const fresh: Message = {
    id,
    sessionId: turn.sessionId,
    turnId: turn.id,
    role: "assistant",
    kind: "chat",
    origin: "model",
    status: "streaming",
    parts: grow([]),
    createdAt: turn.startedAt,
  };
  return [...rows, fresh];
}

/** A call and its card. Until the store tells, the card stands in the row that was written last. */
function withTool(view: TurnView, event: Extract<TurnEvent, { type: "tool" }>): TurnView {
  const { callId, name, input, phase, ok, summary, ms } = event;
  const known = view.calls.find(({ id }) => id === callId);
  if (phase === "start") {
    const messageId = view.rows.findLast(({ role }) => role === "assistant")?.id ?? 0;
    const call: ToolCallRecord = {
      id: callId,
      turnId: view.turn.id,
      messageId,
      name,
      class: "read",
      state: "running",
      startedAt: startOf(view),
    };
    const part: Part = { type: "tool-call", id: callId, name, input };
    return { ...view, calls: [...view.calls, call], rows: withRow(view, messageId, (parts) => [...parts, part]) };
  }
  if (!known) return view;
  const ended: ToolCallRecord = {
    ...known,
    state: ok ? "finished" : "failed",
    ...(ms !== undefined && { endedAt: (known.startedAt ?? 0) + ms }),
    ...(summary !== undefined && { summary }),
  };
  return { ...view, calls: view.calls.map((call) => (call.id === callId ? ended : call)) };
}

/** About when a call started: events of tools carry no clock, and the store's figures replace this one soon. */
function startOf({ requests, turn }: TurnView): number {
  const last = requests.at(-1);
  return last ? last.startedAt + (last.ms ?? 0) : turn.startedAt;
}
