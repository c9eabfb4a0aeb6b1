import { callsOf, type Message } from "../../shared/message.ts";
import type { Phase, RequestRecord, ToolCallRecord, ToolCallState } from "../../shared/turn.ts";
import type { TurnView } from "../../shared/views.ts";
import { followUpsOf } from "../lib/follow-ups.ts";
import { callsIn, requestsIn } from "./run-window.ts";

/** What a pin marks: a phase that is on disk, a follow-up that joined, a goal that goes on or has its end, a stop. */
export type Mark = Phase | "injected" | "goal" | "goalEnded" | "stopped";

export interface Pin {
  readonly kind: "pin";
  readonly key: string;
  readonly mark: Mark;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The request it belongs to; 0: none. */
  readonly step: number;
}

const always = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

/** The checkpoints of a turn, from what is stored of it: its requests, calls and rows. In the order in which they came. Pure. */
export function checkpointsOf(view: TurnView): Pin[] {
  const requests = requestsIn(view, always);
  const pins = requests.flatMap((request, at) => pinsOfStep(view, request, requests[at + 1]?.startedAt));
  return [...pins, ...pinsOfEnd(view, requests.at(-1)?.number ?? 0)];
}

function pinsOfStep(view: TurnView, { number: step, startedAt: from }: RequestRecord, until = always.until): Pin[] {
  const pin = (mark: Mark, at: number): Pin => ({ kind: "pin", key: `${step} ${mark} ${at}`, mark, at, step });
  const calls = callsIn(view, { from, until });
  const isHere = ({ createdAt }: { createdAt: number }) => createdAt >= from && createdAt < until;
  const begun = view.rows.filter(({ id }) => calls.some(({ messageId }) => messageId === id));
  const joined = followUpsOf(view).filter(isHere);
  const goesOn = until !== always.until && joined.length === 0 && asksGoal.test(view.inbound.text);
  const answers = goesOn ? view.rows.filter((row) => isHere(row) && isWhole(row)) : [];
  return [
    pin("awaiting_model", from),
    ...begun.slice(0, 1).map((row) => pin("awaiting_tools", Math.max(from, row.createdAt))),
    ...(calls.length > 0 && calls.every(isOver) ? [pin("tools_completed", lastEnd(calls, from))] : []),
    ...calls.filter(isGoalEnd).map(({ endedAt }) => pin("goalEnded", endedAt ?? from)),
    ...joined.map(({ createdAt }) => pin("injected", createdAt)),
    ...answers.map(({ finishedAt, createdAt }) => pin("goal", finishedAt ?? createdAt)),
  ];
}

const asksGoal = /^\s*[/／]goal\s/i;

/** A whole answer, after which a turn asks the model again only for a follow-up or for its goal. */
const isWhole = ({ role, kind, status, parts }: Message): boolean =>
  role === "assistant" && kind === "chat" && status === "complete" && callsOf(parts).length === 0;

const isGoalEnd = ({ name, state }: ToolCallRecord): boolean => name === "finish_goal" && state === "finished";

const ends: ReadonlySet<ToolCallState> = new Set(["finished", "failed", "denied", "unknown", "skipped"]);
const isOver = ({ state }: ToolCallRecord): boolean => ends.has(state);
const lastEnd = (calls: readonly ToolCallRecord[], from: number): number =>
  Math.max(from, ...calls.flatMap(({ state, endedAt }) => (state === "unknown" ? [] : (endedAt ?? []))));

function pinsOfEnd({ turn, rows, trace }: TurnView, step: number): Pin[] {
  const pin = (mark: Mark, at: number): Pin => ({ kind: "pin", key: mark, mark, at, step });
  const end = turn.endedAt ?? turn.startedAt;
  if (turn.stopReason === "aborted") return [pin("stopped", end)];
  const isAnswered =
    turn.phase === "final_response" || trace.some(({ state, outcome }) => state === "run" && outcome === "ok");
  if (!isAnswered) return [];
  const answer = rows.findLast(({ role, kind }) => role === "assistant" && kind !== "note");
  return [pin("final_response", answer?.finishedAt ?? end)];
}
