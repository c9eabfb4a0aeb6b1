import type { TurnEvent } from "../../shared/events.ts";
import type { Message, Origin } from "../../shared/message.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { KeepResult } from "./long-results.ts";
import type { PlannedCall } from "./planned-calls.ts";
import type { RepeatGuard } from "./repeat-guard.ts";
import { runTool, type ToolOutcome } from "./run-tool.ts";
import type { Store } from "./store.ts";

const WIDTH = 4;

export interface BatchOptions {
  readonly store: Store;
  readonly sessionId: string;
  readonly turnId: string;
  readonly origin: Origin;
  readonly emit: (event: TurnEvent) => void;
  readonly now: () => number;
  readonly monotonicMs: () => number;
  readonly context: ToolContext;
  readonly guard: RepeatGuard;
  /** Where results too long for a prompt go. Absent: they are cut. */
  readonly keep?: KeepResult;
  /** What wants to know of each tool before and after it runs. */
  readonly around?: (kind: "beforeTool" | "afterTool", call: { id: string; name: string }) => Promise<void>;
}

/**
 * Runs the calls of one assistant row, batch by batch in call order. Each call is marked running on disk before it
 * starts (the first batch by the caller, in the write that stores the calls), and each result is on disk as it
 * arrives. Returns the result rows in the order they came; calls after a stop are not started and stay `requested`.
 */
export async function runBatches(groups: readonly PlannedCall[][], options: BatchOptions): Promise<Message[]> {
  const rows: Message[] = [];
  const finish = (call: PlannedCall, outcome: ToolOutcome, ms: number) => {
    rows.push(storeResult(call, outcome, options));
    announceEnd(call, outcome, ms, options);
  };
  for (const [index, batch] of groups.entries()) {
    if (options.context.signal.aborted) break;
    if (index > 0) markRunning(batch, options);
    await Promise.all(batch.map((call) => runCall(call, options, finish)));
  }
  return rows;
}

/** Groups that run side by side: maximal runs of calls that only read and are not exclusive go together, others alone. */
export function batches(calls: readonly PlannedCall[]): PlannedCall[][] {
  const groups: PlannedCall[][] = [];
  let open = false;
  for (const call of calls) {
    const shares = call.tool === undefined || (call.tool.class === "read" && !call.tool.exclusive);
    const last = groups.at(-1);
    if (shares && open && last && last.length < WIDTH) last.push(call);
    else groups.push([call]);
    open = shares;
  }
  return groups;
}

export function markRunning(
  batch: readonly PlannedCall[],
  { store, now, turnId }: Pick<BatchOptions, "store" | "now" | "turnId">,
): void {
  const started = batch.filter(({ tool }) => tool);
  store.atomically(() => {
    for (const { id } of started) store.setCall(turnId, id, { state: "running", startedAt: now() });
  });
}

async function runCall(
  call: PlannedCall,
  options: BatchOptions,
  finish: (call: PlannedCall, outcome: ToolOutcome, ms: number) => void,
): Promise<void> {
  const { sessionId, turnId, origin, emit, monotonicMs } = options;
  const { id: callId, name, input } = call;
  const startedAt = monotonicMs();
  emit({ type: "tool", sessionId, turnId, callId, name, origin, phase: "start", input });
  await options.around?.("beforeTool", { id: callId, name });
  finish(call, await outcomeOf(call, options), monotonicMs() - startedAt);
  await options.around?.("afterTool", { id: callId, name });
}

async function outcomeOf({ tool, name, input, problem }: PlannedCall, options: BatchOptions): Promise<ToolOutcome> {
  if (!tool) return refused(problem ?? `${name} cannot be run.`);
  const hint = options.guard.hint(name, input);
  if (hint) return refused(hint);
  const outcome = await runTool(tool, input, options.context, options.keep);
  return outcome.refusedPath ? { ...outcome, text: outcome.text + options.guard.afterRefusedPath() } : outcome;
}

const refused = (text: string): ToolOutcome => ({
  text,
  summary: text,
  state: "failed",
  refusedPath: false,
});

function storeResult(call: PlannedCall, outcome: ToolOutcome, options: BatchOptions): Message {
  const { store, sessionId, turnId, now } = options;
  const { text, summary, state } = outcome;
  const part = { type: "tool-result", callId: call.id, name: call.name, text, failed: state !== "finished" } as const;
  return store.atomically(() => {
    store.setCall(turnId, call.id, { state, endedAt: now(), summary });
    return store.append({ sessionId, turnId, role: "tool", status: "complete", parts: [part], createdAt: now() });
  });
}

function announceEnd(call: PlannedCall, { state, summary }: ToolOutcome, ms: number, options: BatchOptions): void {
  const { sessionId, turnId, origin, emit } = options;
  const { id: callId, name } = call;
  emit({ type: "tool", sessionId, turnId, callId, name, origin, phase: "end", ok: state === "finished", summary, ms });
}
