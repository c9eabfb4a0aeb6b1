import type { Message, Usage } from "../../shared/message.ts";
import type { RequestRecord } from "../../shared/turn.ts";
import { type AnswerRow, createAnswerRow } from "./answer-row.ts";
import { createRepeatGuard, type RepeatGuard } from "./repeat-guard.ts";
import type { Runtime, Turn, TurnDeps } from "./turn.ts";

export interface AgentRunSpec {
  readonly turn: Turn;
  readonly runtime: Runtime;
  readonly deps: TurnDeps;
}

/** What one run of the agent knows of itself while it goes on. Only the runner's own functions write it. */
export interface Run extends AgentRunSpec {
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
  /** No more tools in this turn: the next answer is in words. */
  plain: boolean;
  usage: Usage | undefined;
}

export function createRun(spec: AgentRunSpec): Run {
  const rows = spec.deps.store.turnMessages(spec.turn.id).filter(({ kind }) => kind !== "command");
  return {
    ...spec,
    rows,
    guard: createRepeatGuard(),
    notes: [],
    toolsUsed: new Set(),
    counts: { blanks: 0, lengths: 0, malformed: 0 },
    answer: freshAnswer(spec),
    iteration: 0,
    requests: spec.turn.requests,
    endedRequest: undefined,
    plain: false,
    usage: undefined,
  };
}

export function freshAnswer({ turn, deps }: AgentRunSpec): AnswerRow {
  const { store, emit, now } = deps;
  return createAnswerRow({ store, emit, now, sessionId: turn.sessionId, turnId: turn.id });
}

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
