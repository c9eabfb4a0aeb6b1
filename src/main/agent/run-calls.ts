import { toAppError } from "../../shared/errors.ts";
import { callsOf, type Message, type Origin, type Part } from "../../shared/message.ts";
import type { ToolCallState } from "../../shared/turn.ts";
import type { ChatResults } from "../tools/result-files.ts";
import { callHooks } from "./hooks.ts";
import type { KeepResult } from "./long-results.ts";
import { type PlannedCall, planCalls } from "./planned-calls.ts";
import { freshAnswer, momentOf, type Run, storeRequest, tellCheckpoint } from "./run-state.ts";
import { type BatchOptions, batches, markRunning, runBatches } from "./tool-batches.ts";

export const plan = (run: Run, calls: Parameters<typeof planCalls>[0], origin: Origin = "model"): PlannedCall[] =>
  planCalls(calls, run.runtime.tools, (index) => `${run.turn.id}_${origin === "named" ? "n" : run.iteration}_${index}`);

/** Stores what the model asked for, runs it, and adds the results to the run. The intention is on disk before any effect. */
export async function settleCalls(run: Run, calls: readonly PlannedCall[], origin: Origin = "model"): Promise<void> {
  const { turn, deps, iteration } = run;
  const groups = batches(calls);
  const row = deps.store.atomically(() => {
    const closed = closeWithCalls(run, calls, origin);
    storeRequest(run);
    for (const { id, name, tool } of calls) {
      const record = { id, turnId: turn.id, messageId: closed.id, name, state: "requested" } as const;
      deps.store.insertCall({ ...record, class: tool?.class ?? "read" });
    }
    deps.store.setPhase(turn.id, "awaiting_tools", iteration);
    markRunning(groups[0] ?? [], { ...deps, turnId: turn.id }); // they start right after this write
    return closed;
  });
  tellCheckpoint(run, "awaiting_tools", iteration);
  run.answer = freshAnswer(run);
  run.rows.push(row);
  for (const { name, tool } of calls) if (tool) run.toolsUsed.add(name);
  await runGroups(run, groups, origin);
}

async function runGroups(run: Run, groups: readonly PlannedCall[][], origin: Origin): Promise<void> {
  const { turn, deps } = run;
  const { store, emit, now, monotonicMs, timeZone, signal } = deps;
  const { workspace } = run.runtime;
  const results = deps.results?.of(turn.sessionId);
  const openResult = results && { openResult: results.open };
  const context = { workspace, timeZone, signal, now: new Date(now()), ...openResult };
  const keep = results && { keep: keeping(results, run) };
  const about = { sessionId: turn.sessionId, turnId: turn.id, origin, guard: run.guard };
  const around: BatchOptions["around"] = (kind, call) =>
    callHooks(deps, kind, (hooks) => hooks[kind]?.(momentOf(run), call));
  run.rows.push(...(await runBatches(groups, { ...about, store, emit, now, monotonicMs, context, around, ...keep })));
  if (!signal.aborted) tellCheckpoint(run, "tools_completed", run.iteration);
}

/** A result that could not be kept is cut: the turn goes on. */
const keeping =
  ({ keep }: ChatResults, { deps, turn }: Run): KeepResult =>
  (text) =>
    keep(text).catch((thrown: unknown) => {
      deps.log.warn("long result not kept", { turn: turn.id, code: toAppError(thrown).code });
      return undefined;
    });

/**
 * A turn that goes on after a crash: the calls of its last step that have no result yet, in their order. Those that have
 * one are not run again.
 */
export async function finishCalls(run: Run): Promise<void> {
  const { turn, deps, runtime } = run;
  const open = new Set(deps.store.calls(turn.id).flatMap(({ id, state }) => (isOpen(state) ? [id] : [])));
  const row = run.rows.findLast(({ parts }) => callsOf(parts).some(({ id }) => open.has(id)));
  if (!row) return;
  const parts = callsOf(row.parts).filter(({ id }) => open.has(id));
  const spoken = parts.map(({ name, input }) => ({ name, arguments: JSON.stringify(input) }));
  const calls = planCalls(spoken, runtime.tools, (index) => parts[index]?.id ?? "");
  const groups = batches(calls);
  markRunning(groups[0] ?? [], { ...deps, turnId: turn.id });
  run.notes.push(`went on with ${calls.length} calls`);
  await runGroups(run, groups, row.origin);
}

const isOpen = (state: ToolCallState): boolean => state === "requested" || state === "approved";

function closeWithCalls(run: Run, calls: readonly PlannedCall[], origin: Origin): Message {
  const parts = calls.map(
    ({ id, name, input, raw }): Part => ({ type: "tool-call", id, name, input, ...(raw !== undefined && { raw }) }),
  );
  if (origin === "model") return run.answer.close("complete", parts);
  const { turn, deps } = run;
  const row = { sessionId: turn.sessionId, turnId: turn.id, role: "assistant", status: "complete" } as const;
  return deps.store.append({ ...row, origin, parts, createdAt: deps.now() });
}

const NAMED_TOOL = "read_file";

/**
 * For a model that cannot be trusted to choose tools: what the user's own words name is read before the first request,
 * by ordinary calls. Never from text that came out of a document, a tool or the model.
 */
export async function readNamedFiles(run: Run): Promise<void> {
  const { turn, runtime, deps, rows } = run;
  if (runtime.info.toolLevel !== "named" || rows.some(({ origin }) => origin === "named")) return;
  if (!runtime.tools.some(({ name }) => name === NAMED_TOOL)) return;
  const paths = await deps.namedFiles(turn.input, runtime.workspace).catch((thrown: unknown) => {
    deps.log.warn("named files not looked up", { turn: turn.id, code: toAppError(thrown).code });
    return [];
  });
  if (paths.length === 0) return;
  const calls = paths.map((path) => ({ name: NAMED_TOOL, arguments: JSON.stringify({ path }) }));
  await settleCalls(run, plan(run, calls, "named"), "named");
}
