import { callsOf, type Message, textOf, type Usage } from "../../shared/message.ts";
import type { Cargo } from "../../shared/network.ts";
import type { Phase, RequestRecord, TurnRecord } from "../../shared/turn.ts";
import { type AnswerRow, createAnswerRow } from "./answer-row.ts";
import type { HookMoment } from "./hooks.ts";
import { createRepeatGuard, type RepeatGuard } from "./repeat-guard.ts";
import { answeredIn } from "./settle.ts";
import type { Runtime, Turn, TurnDeps } from "./turn.ts";

export interface AgentRunSpec {
  readonly turn: Turn;
  readonly runtime: Runtime;
  readonly deps: TurnDeps;
}

/** What one run of the agent knows of itself while it goes on. Only the runner's own functions write it. */
export interface Run extends AgentRunSpec {
  /** Both change when another model goes on with the turn, and with nothing else. */
  turn: Turn;
  runtime: Runtime;
  /** What was asked instead in this run, or could not be: each once. */
  readonly fallbacks: Set<string>;
  /** The turn's rows so far, the user's first. */
  readonly rows: Message[];
  readonly guard: RepeatGuard;
  readonly notes: string[];
  readonly toolsUsed: Set<string>;
  readonly counts: { blanks: number; lengths: number; malformed: number };
  /** The row that the model is writing, kept open over continuations. */
  answer: AnswerRow;
  iteration: number;
  /** Requests of the whole turn, an earlier run of it included. */
  requests: number;
  /** A request that is over, until its figures are stored with what came of it. */
  endedRequest: RequestRecord | undefined;
  /** What of the chat is in the request that was laid out last. */
  cargo: Cargo | undefined;
  /** For the chat's goal: answers since the last result of a tool, and what of this run is counted already. */
  readonly goal: { withoutProgress: number; requests: number; tokens: number; at: number };
  /** How often follow-ups were taken in. */
  drains: number;
  /** No more tools in this turn: the next answer is in words. */
  plain: boolean;
  usage: Usage | undefined;
}

/** A run at its beginning, or where a crash or an overflow broke it off: what is stored of the turn is known to it. */
export function createRun(spec: AgentRunSpec): Run {
  const { store } = spec.deps;
  const { id, requests } = spec.turn;
  const stored = store.turnMessages(id).filter(({ kind }) => kind !== "command");
  const run: Run = {
    ...spec,
    rows: stored.filter(({ status }) => status !== "streaming"),
    fallbacks: new Set(),
    guard: createRepeatGuard(),
    notes: [],
    toolsUsed: new Set(),
    counts: { blanks: 0, lengths: 0, malformed: 0 },
    answer: freshAnswer(spec, begunAnswer(spec, stored)),
    iteration: passedIterations(store.turn(id)),
    requests,
    endedRequest: undefined,
    cargo: undefined,
    goal: { withoutProgress: 0, requests, tokens: 0, at: spec.deps.monotonicMs() },
    drains: 0,
    plain: false,
    usage: undefined,
  };
  for (const request of requests > 0 ? store.requests(id) : []) addUsage(run, request.usage);
  run.goal.tokens = (run.usage?.inputTokens ?? 0) + (run.usage?.outputTokens ?? 0);
  const answered = answeredIn(run.rows); // the others are run yet, and counted then
  for (const { id, name, input } of run.rows.flatMap(({ parts }) => callsOf(parts))) {
    if (answered.has(id)) run.guard.hint(name, input);
    run.toolsUsed.add(name);
  }
  return run;
}

/** One whose results are on the way is passed: the next request has a number of its own, and so have its calls. */
function passedIterations(turn: TurnRecord | undefined): number {
  if (!turn) return 0;
  return turn.phase === "awaiting_model" ? Math.max(0, turn.iteration - 1) : turn.iteration;
}

/** The row that was being written. Of one without a word nothing can be gone on with: it stays stored, hidden. */
function begunAnswer({ deps }: AgentRunSpec, stored: readonly Message[]): Message | undefined {
  const begun = stored.findLast(({ role, status }) => role === "assistant" && status === "streaming");
  if (!begun || textOf(begun.parts).trim() !== "") return begun;
  deps.store.finish(begun.id, { parts: begun.parts, status: "hidden", finishedAt: deps.now() });
  return undefined;
}

export function freshAnswer({ turn, deps }: AgentRunSpec, begun?: Message): AnswerRow {
  const { store, emit, now } = deps;
  return createAnswerRow({ store, emit, now, sessionId: turn.sessionId, turnId: turn.id, begun });
}

/** What was streamed of a blank answer (white space, thoughts) stays stored, hidden. */
export function discardBlank(run: Run): void {
  if (!run.answer.isEmpty()) run.answer.close("hidden");
  run.answer = freshAnswer(run);
}

/** The run has come to a phase, and it is on disk. */
export function tellCheckpoint({ turn, deps }: Run, phase: Phase, iteration: number): void {
  deps.emit({ type: "checkpoint", sessionId: turn.sessionId, turnId: turn.id, phase, iteration, at: deps.now() });
}

export const momentOf = ({ turn, iteration }: Run): HookMoment => ({
  sessionId: turn.sessionId,
  turnId: turn.id,
  iteration,
});

/** A hint to the model, stored hidden: the person never sees it, the model only in this turn. */
export function addNote(run: Run, text: string): void {
  const { turn, deps, rows } = run;
  const parts = [{ type: "text" as const, text }];
  const row = { sessionId: turn.sessionId, turnId: turn.id, role: "user", kind: "note", status: "hidden" } as const;
  rows.push(deps.store.append({ ...row, parts, createdAt: deps.now() }));
}

/** Call it inside the write that stores what came of the request: its figures need none of their own. */
export function storeRequest(run: Run): void {
  if (run.endedRequest) run.deps.store.insertRequest(run.endedRequest);
  run.endedRequest = undefined;
}

export function addUsage(run: Run, usage: Usage | undefined): void {
  if (!usage) return;
  const { usage: sum } = run;
  run.usage = sum
    ? {
        inputTokens: sum.inputTokens + usage.inputTokens,
        reusedTokens: sum.reusedTokens + usage.reusedTokens,
        outputTokens: sum.outputTokens + usage.outputTokens,
        firstTokenMs: sum.firstTokenMs,
        decodeMs: sum.decodeMs + usage.decodeMs,
      }
    : usage;
}
