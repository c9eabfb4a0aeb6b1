import { AppError } from "../../shared/errors.ts";
import type { Goal, GoalBudget } from "../../shared/goal.ts";
import type { FinishReason } from "../../shared/inference.ts";
import { callsOf } from "../../shared/message.ts";
import type { Settings } from "../../shared/settings.ts";
import type { StopReason, ToolCallRecord } from "../../shared/turn.ts";
import { finishGoalTool, goalEndOf } from "../tools/finish-goal.ts";
import type { PlannedCall } from "./planned-calls.ts";
import { addNote, type Run } from "./run-state.ts";
import type { Store } from "./store.ts";

/** Answers in a row without a new result of a tool: the model is only talking. */
const MOST_WITHOUT_PROGRESS = 3;

const nothingSpent: GoalBudget = { iterations: 0, tokens: 0, minutes: 0 };

/** A goal at its beginning, with what may be spent on it. */
export function newGoal(sessionId: string, text: string, settings: Settings, now: number): Goal {
  const { goalIterations: iterations, goalTokens: tokens, goalMinutes: minutes } = settings;
  const budget = { iterations, tokens, minutes };
  return { sessionId, text, state: "active", budget, spent: nothingSpent, createdAt: now, updatedAt: now };
}

/** What a person may do with the goal of a chat. Resuming it allows its budget once more. Throws not-found. */
export function changeGoal(store: Store, sessionId: string, action: "pause" | "resume" | "cancel", now: number): Goal {
  const goal = store.goal(sessionId);
  if (!goal || (goal.state !== "active" && goal.state !== "paused")) {
    throw new AppError("not-found", "This chat has no goal. Set one with /goal and what is to be reached.");
  }
  const { reason, ...rest } = goal;
  const spent = reason === "budget" ? nothingSpent : goal.spent;
  const changed: Goal =
    action === "resume"
      ? { ...rest, spent, state: "active", updatedAt: now }
      : { ...rest, state: action === "pause" ? "paused" : "cancelled", reason: "person", updatedAt: now };
  store.setGoal(changed);
  return changed;
}

/** The goal that a turn of this session works on. One that waited for the person's answer has it now. */
export function goalOfTurn(store: Store, sessionId: string, now: number): Goal | undefined {
  const goal = store.goal(sessionId);
  if (goal?.state === "paused" && goal.reason === "asked-user") return changeGoal(store, sessionId, "resume", now);
  return goal?.state === "active" ? goal : undefined;
}

const activeGoal = ({ deps, turn }: Run): Goal | undefined => {
  const goal = deps.store.goal(turn.sessionId);
  return goal?.state === "active" ? goal : undefined;
};

/**
 * After a step with tools: what it cost, whether the model says that the goal is reached, and whether
 * anything may still be spent on it. Returns false when it may not: then an answer in words is due.
 */
export function afterToolStep(run: Run, calls: readonly PlannedCall[]): boolean {
  const goal = activeGoal(run);
  if (!goal) return true;
  const ids = new Set(calls.map(({ id }) => id));
  const results = run.deps.store.calls(run.turn.id).filter(({ id, state }) => ids.has(id) && state === "finished");
  if (results.length > 0) run.goal.withoutProgress = 0;
  const spent = spentOn(run, goal);
  const said = endSaid(run);
  const over = isSpent(spent, goal.budget);
  if (said) write(run, { ...goal, spent, ...said, reason: "model" });
  else if (over) write(run, { ...goal, spent, state: "paused", reason: "budget" });
  else write(run, { ...goal, spent });
  return said !== undefined || !over;
}

/** A turn that goes on after a crash: what the model had said of the goal is written, if the crash came before that. */
export function catchUpGoal(run: Run): void {
  const goal = activeGoal(run);
  const said = goal && endSaid(run);
  if (said) write(run, { ...goal, ...said, reason: "model" });
}

/** What the model has said of the goal in this turn, by a call that is over. */
function endSaid({ rows, deps, turn }: Run): ReturnType<typeof goalEndOf> | undefined {
  const isOver = ({ name, state }: ToolCallRecord) => name === finishGoalTool.name && state === "finished";
  const over = new Set(deps.store.calls(turn.id).flatMap((call) => (isOver(call) ? [call.id] : [])));
  const said = rows.flatMap(({ parts }) => callsOf(parts)).findLast(({ id }) => over.has(id));
  return said && goalEndOf(said.input);
}

/**
 * After a whole answer, inside its write: whether the turn goes on because the goal is not reached. Then the model is
 * told so.
 */
export function goesOnForGoal(run: Run, end: { stopReason: StopReason; finish: FinishReason }): boolean {
  const goal = activeGoal(run);
  if (!goal) return false;
  run.goal.withoutProgress++;
  const spent = spentOn(run, goal);
  const reason = whyNot(run, end, isSpent(spent, goal.budget));
  if (reason) {
    write(run, { ...goal, spent, state: "paused", reason });
    return false;
  }
  write(run, { ...goal, spent });
  addNote(
    run,
    `The goal is not reached yet: ${goal.text}\nGo on with the next step. When it is reached, or cannot be, call finish_goal.`,
  );
  return true;
}

function whyNot(
  run: Run,
  { stopReason, finish }: { stopReason: StopReason; finish: FinishReason },
  spent: boolean,
): Goal["reason"] {
  if (stopReason === "needs_user") return "asked-user";
  if (stopReason === "empty" || finish === "refusal" || finish === "content_filter") return "error";
  if (spent) return "budget";
  return run.goal.withoutProgress >= MOST_WITHOUT_PROGRESS ? "no-progress" : undefined;
}

/** A run that failed or was stopped does not go on by itself, and neither does its goal. */
export function pauseGoal(run: Run, reason: "error" | "stopped" | "budget"): void {
  const goal = activeGoal(run);
  if (goal) write(run, { ...goal, spent: spentOn(run, goal), state: "paused", reason });
}

/** With what this run spent since it was written last. */
function spentOn(run: Run, { spent }: Goal): GoalBudget {
  const { goal, requests, usage } = run;
  const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  const now = run.deps.monotonicMs();
  const more = {
    iterations: requests - goal.requests,
    tokens: tokens - goal.tokens,
    minutes: (now - goal.at) / 60_000,
  };
  Object.assign(goal, { requests, tokens, at: now });
  return {
    iterations: spent.iterations + more.iterations,
    tokens: spent.tokens + more.tokens,
    minutes: spent.minutes + more.minutes,
  };
}

const isSpent = (spent: GoalBudget, budget: GoalBudget): boolean =>
  spent.iterations >= budget.iterations || spent.tokens >= budget.tokens || spent.minutes >= budget.minutes;

function write({ deps, turn }: Run, goal: Goal): void {
  const changed = { ...goal, updatedAt: deps.now() };
  deps.store.setGoal(changed);
  deps.emit({ type: "goal", sessionId: turn.sessionId, turnId: turn.id, goal: changed });
}
