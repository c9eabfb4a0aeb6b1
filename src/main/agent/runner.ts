import { type AppError, toAppError, toWire } from "../../shared/errors.ts";
import { callsOf, type Message, type Part, textOf, type Usage } from "../../shared/message.ts";
import type { StopReason } from "../../shared/turn.ts";
import { askUserTool, questionOf } from "../tools/ask-user.ts";
import type { Reply } from "./ask-model.ts";
import { afterToolStep, catchUpGoal, goesOnForGoal, pauseGoal } from "./goals.ts";
import { callHooks } from "./hooks.ts";
import { drain, takeFollowUps, tellJoined } from "./injections.ts";
import { mayCall, type Next, nextStep } from "./next-step.ts";
import type { PlannedCall } from "./planned-calls.ts";
import { requestAnswer } from "./retrying.ts";
import { finishCalls, plan, readNamedFiles, settleCalls } from "./run-calls.ts";
import {
  type AgentRunSpec,
  addNote,
  createRun,
  discardBlank,
  freshAnswer,
  momentOf,
  type Run,
  storeRequest,
  tellCheckpoint,
} from "./run-state.ts";
import type { Runtime } from "./turn.ts";
import { closeUserMessage } from "./user-message.ts";

export interface AgentRunResult {
  /** The turn's rows, the user's first. */
  readonly messages: readonly Message[];
  readonly finalText: string;
  readonly stopReason: StopReason;
  readonly usage?: Usage;
  /** Made in the turn so far. */
  readonly requests: number;
  readonly toolsUsed: readonly string[];
  /** What it ended with: another model's, where the first one could not answer. */
  readonly runtime: Runtime;
  /** For the trace. */
  readonly notes: readonly string[];
  readonly error?: AppError;
  /** The error was an overflow that a shorter history may mend. */
  readonly mendable?: boolean;
}

/** Model, tools, model, tools, … until there is an answer. Never throws: what was said and done is kept and told. */
export async function runAgent(spec: AgentRunSpec): Promise<AgentRunResult> {
  const run = createRun(spec);
  const tell = (kind: "beforeRun" | "afterRun" | "finalize") =>
    callHooks(spec.deps, kind, (hooks) => hooks[kind]?.(momentOf(run)));
  await tell("beforeRun");
  const result = await go(run).catch((thrown) => endWithError(run, toAppError(thrown), spec.turn.history.length > 0));
  const { error } = result;
  if (error || result.stopReason === "max_iterations") pauseAfter(run, error);
  if (error) await callHooks(spec.deps, "onError", (hooks) => hooks.onError?.(momentOf(run), error));
  else await tell("afterRun");
  await tell("finalize");
  return result;
}

/** A goal that could not be written is written with the next turn: the answer is worth more. */
function pauseAfter(run: Run, error: AppError | undefined): void {
  try {
    pauseGoal(run, error?.code === "aborted" ? "stopped" : error ? "error" : "budget");
  } catch (thrown) {
    run.deps.log.error("goal not stored", { turn: run.turn.id, code: toAppError(thrown).code });
  }
}

async function go(run: Run): Promise<AgentRunResult> {
  const { deps } = run;
  await finishCalls(run);
  catchUpGoal(run);
  await readNamedFiles(run);
  while (++run.iteration <= limitOf(run)) {
    await callHooks(deps, "beforeIteration", (hooks) => hooks.beforeIteration?.(momentOf(run)));
    const result = await iterate(run);
    await callHooks(deps, "afterIteration", (hooks) => hooks.afterIteration?.(momentOf(run)));
    if (result) return result;
  }
  return sumUp(run);
}

const limitOf = ({ runtime }: Run): number =>
  runtime.settings[runtime.info.local ? "maxIterationsLocal" : "maxIterations"];

/** One request and what follows from it. The result when the run is over, else undefined. */
async function iterate(run: Run): Promise<AgentRunResult | undefined> {
  run.deps.signal.throwIfAborted();
  const before = run.answer.text().length;
  const reply = await requestAnswer(run);
  if (reply.error) return afterFailure(run, reply.error);
  const calls = mayCall({ finish: reply.finish, plain: run.plain }) ? plan(run, reply.calls) : [];
  const ignored = reply.calls.length - calls.length;
  if (ignored > 0) run.notes.push(`${ignored} calls under "${reply.finish}" were ignored`);
  const usable = calls.filter(({ tool }) => tool).length;
  const text = run.answer.text();
  const seen = {
    finish: reply.finish,
    blank: text.trim() === "",
    blankPart: text.slice(before).trim() === "",
    usable,
    unusable: calls.length - usable,
    plain: run.plain,
  };
  return take(run, nextStep(seen, run.counts), calls, reply);
}

async function take(
  run: Run,
  next: Next,
  calls: readonly PlannedCall[],
  reply: Reply,
): Promise<AgentRunResult | undefined> {
  const { counts } = run;
  switch (next.do) {
    case "run-tools":
      return afterTools(run, calls, reply);
    case "correct":
      counts.malformed++;
      await settleCalls(run, calls); // each comes back with what is wrong with it
      return undefined;
    case "ask-again":
      counts.blanks++;
      discardBlank(run);
      return undefined;
    case "ask-plain":
      counts.blanks++;
      discardBlank(run);
      askPlain(run);
      return undefined;
    case "continue":
      counts.lengths++;
      return undefined;
    case "end":
      return closeAnswer(run, next.stopReason, next.whole, reply);
    default:
      return next satisfies never;
  }
}

async function afterTools(run: Run, calls: readonly PlannedCall[], reply: Reply): Promise<AgentRunResult | undefined> {
  await settleCalls(run, calls);
  Object.assign(run.counts, { blanks: 0, lengths: 0, malformed: 0 });
  if (!afterToolStep(run, calls)) askPlain(run);
  const question = calls.find(({ tool }) => tool === askUserTool);
  if (question && !run.deps.signal.aborted) {
    run.answer.push("text", questionOf(question.input));
    return closeAnswer(run, "needs_user", true, reply);
  }
  if (run.guard.isStuck()) askPlain(run);
  drain(run);
  return undefined;
}

/** What the person added meanwhile may be answered all the same, unless there is nobody to answer or no room. */
function afterFailure(run: Run, failure: AppError): AgentRunResult | undefined {
  const result = endWithError(run, failure);
  if (!["provider-failed", "timeout", "engine-crashed"].includes(failure.code) || !drain(run)) return result;
  run.answer = freshAnswer(run);
  return undefined;
}

function askPlain(run: Run): void {
  run.plain = true;
  addNote(run, "Do not call tools now. Answer the user in plain words.");
}

/**
 * The answer is whole, in one write with what follows: either the turn is at its end, or follow-ups join it and it goes
 * on. A crash never finds an answer that may be written twice.
 */
function closeAnswer(run: Run, stopReason: StopReason, whole: boolean, reply: Reply): AgentRunResult | undefined {
  const { deps, turn, answer } = run;
  if (stopReason === "empty" || answer.text().trim() === "") answer.push("text", actionsTaken(run));
  const joined = deps.store.atomically(() => {
    const closed = answer.close(whole ? "complete" : "incomplete", [], reply.usage);
    storeRequest(run);
    const [user] = run.rows; // with its answer it is no longer pending: one write
    if (user) run.rows[0] = closeUserMessage(deps.store, user, deps.now());
    run.rows.push(closed);
    const taken = takeFollowUps(run);
    const goesOn =
      taken.length > 0 || (stopReason !== "max_iterations" && goesOnForGoal(run, { stopReason, finish: reply.finish }));
    if (goesOn) deps.store.setPhase(turn.id, "awaiting_model", run.iteration + 1);
    else deps.store.setPhase(turn.id, "final_response", run.iteration);
    return { taken, goesOn };
  });
  tellJoined(run, joined.taken);
  tellCheckpoint(run, joined.goesOn ? "awaiting_model" : "final_response", run.iteration);
  if (!joined.goesOn) return resultOf(run, stopReason);
  run.answer = freshAnswer(run);
  Object.assign(run.counts, { blanks: 0, lengths: 0, malformed: 0 });
  run.plain = false;
  return undefined;
}

/** The limit of requests is reached: one more, without tools, to say what was found. */
async function sumUp(run: Run): Promise<AgentRunResult> {
  run.notes.push(`stopped after ${run.iteration - 1} requests`);
  drain(run);
  run.drains = Number.POSITIVE_INFINITY; // what comes from here on has a turn of its own
  run.plain = true;
  addNote(run, "You have used all your tool calls. Say in a few words what you found and what is left to do.");
  const reply = await requestAnswer(run);
  if (reply.error) return endWithError(run, reply.error);
  return closeAnswer(run, "max_iterations", true, reply) ?? resultOf(run, "max_iterations");
}

/**
 * Keeps what was written, marked incomplete, with the error beside it. An overflow that a shorter history may mend
 * leaves no row; without a history our own count is final, and only a provider's may change with the next try.
 */
function endWithError(run: Run, error: AppError, canShorten = true): AgentRunResult {
  const { answer, turn } = run;
  const mendable = canShorten && error.code === "context-overflow" && turn.overflows === 0 && answer.isEmpty();
  const parts: Part[] = error.code === "aborted" ? [] : [{ type: "error", error: toWire(error) }];
  try {
    const keeps = !mendable && !(answer.isEmpty() && parts.length === 0);
    const row = run.deps.store.atomically(() => {
      storeRequest(run);
      return keeps ? answer.close("incomplete", parts) : undefined;
    });
    if (row) run.rows.push(row);
  } catch (thrown) {
    run.deps.log.error("answer not stored", { turn: turn.id, code: toAppError(thrown).code });
  }
  return { ...resultOf(run, error.code === "aborted" ? "aborted" : "error"), error, mendable };
}

function resultOf(run: Run, stopReason: StopReason): AgentRunResult {
  const last = run.rows.findLast(({ role, kind }) => role === "assistant" && kind === "chat");
  return {
    messages: run.rows,
    finalText: last && callsOf(last.parts).length === 0 ? textOf(last.parts) : "",
    stopReason,
    ...(run.usage && { usage: run.usage }),
    requests: run.requests,
    runtime: run.runtime,
    toolsUsed: [...run.toolsUsed],
    notes: run.notes,
  };
}

/** Instead of nothing: what really ran in this turn. */
function actionsTaken({ deps, turn }: Run): string {
  const done = deps.store.calls(turn.id).filter(({ state }) => state === "finished");
  if (done.length === 0) return "The model gave no answer. Try again, or ask in other words.";
  return `The model gave no answer. What was done: ${done.map(({ name, summary }) => `${name} (${summary ?? ""})`).join(", ")}.`;
}
