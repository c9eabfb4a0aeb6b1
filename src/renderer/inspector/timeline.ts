import type { WireError } from "../../shared/errors.ts";
import { type TraceEntry, type TurnState, turnStates } from "../../shared/turn.ts";
import type { TurnView } from "../../shared/views.ts";
import type { Fact } from "./fact.ts";
import { partsOf, type RunPart } from "./run-parts.ts";
import { factsOf } from "./state-facts.ts";

export type Status = "passed" | "running" | "failed" | "stopped" | "ahead";

/** One state of a turn, as it is drawn. */
export interface TimelineRow {
  readonly key: string;
  readonly state: TurnState;
  readonly status: Status;
  readonly facts: readonly Fact[];
  /** Epoch milliseconds; absent: it has not begun. */
  readonly startedAt?: number;
  /** Absent: it is not over. */
  readonly ms?: number;
  readonly error?: WireError;
  /** Only of `run`: requests, tools and checkpoints, in their order. */
  readonly parts: readonly RunPart[];
}

const inOrder: readonly TurnState[] = turnStates.filter((state) => state !== "done");

/** A turn as the rows of its trace: what was passed, what it is in now, and while it runs what lies ahead. Pure. */
export function timelineOf(view: TurnView): TimelineRow[] {
  const passed = view.trace.map((entry, at) => passedRow(view, entry, at));
  if (view.turn.state === "done") return [...passed, ...cutRow(view)];
  return [...passed, openRow(view), ...aheadOf(view.turn.state)];
}

function passedRow(view: TurnView, entry: TraceEntry, at: number): TimelineRow {
  const { state, startedAt, ms, error } = entry;
  // A prompt that was too long goes round again, from `compact` on.
  const again = view.trace.slice(at + 1).find((later) => later.state === "compact");
  const until = again?.startedAt ?? Number.POSITIVE_INFINITY;
  const span = { from: startedAt, until };
  return {
    key: `${at}`,
    state,
    status: statusOf(entry),
    facts: factsOf(view, entry, span),
    startedAt,
    ms,
    parts: state === "run" ? partsOf(view, span) : [],
    ...(error && { error }),
  };
}

function statusOf({ outcome }: TraceEntry): Status {
  if (outcome === "failed" || outcome === "overflow") return "failed";
  return outcome === "aborted" ? "stopped" : "passed";
}

function openRow(view: TurnView): TimelineRow {
  const { state } = view.turn;
  const last = view.trace.at(-1);
  const startedAt = last ? last.startedAt + last.ms : view.turn.startedAt;
  return {
    key: `${view.trace.length}`,
    state,
    status: "running",
    facts: [],
    startedAt,
    parts: state === "run" ? partsOf(view, openSpan(view)) : [],
  };
}

/** The run that is not over, or never was: since the prompt was made last. */
const openSpan = ({ trace }: TurnView) => ({
  from: trace.findLast(({ state }) => state === "compact")?.startedAt ?? 0,
  until: Number.POSITIVE_INFINITY,
});

/** The run that the end of the app cut off: how long it took is not known, what it did is. */
function cutRow(view: TurnView): TimelineRow[] {
  const { trace, requests, calls, turn } = view;
  const isCut = !trace.some(({ state }) => state === "run") && requests.length + calls.length > 0;
  if (!isCut) return [];
  const wasCut = turn.stopReason === "interrupted";
  const facts: Fact[] = wasCut ? [{ word: "trace.interrupted" }] : [];
  const status = wasCut ? "stopped" : "passed";
  return [{ key: "cut", state: "run", status, facts, parts: partsOf(view, openSpan(view)) }];
}

const aheadOf = (state: TurnState): TimelineRow[] =>
  inOrder
    .slice(inOrder.indexOf(state) + 1)
    .map((state) => ({ key: `ahead-${state}`, state, status: "ahead", facts: [], parts: [] }));

/** One tag of the strip: a state with all its passes together. */
export interface StripTag {
  readonly state: TurnState;
  readonly status: Status;
  /** Milliseconds of the passes that are over. */
  readonly ms: number;
  /** Epoch milliseconds at which the pass that goes on now began. */
  readonly since?: number;
}

/** The seven tags over an answer. A state that the turn left out (a command needs no model) stays ahead. Pure. */
export function stripOf(view: TurnView): StripTag[] {
  const rows = timelineOf(view);
  return inOrder.map((state) => {
    const passes = rows.filter((row) => row.state === state);
    const last = passes.at(-1);
    const ms = passes.reduce((sum, row) => sum + (row.ms ?? 0), 0);
    const status = last?.status === "ahead" && passes.length > 1 ? "passed" : (last?.status ?? "ahead");
    const isRunning = status === "running" && last?.startedAt !== undefined;
    return { state, status, ms, ...(isRunning && { since: last.startedAt }) };
  });
}
