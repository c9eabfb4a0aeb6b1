import { AppError, toAppError, toWire } from "../../shared/errors.ts";
import type { StopReason, TraceEntry, TurnState } from "../../shared/turn.ts";
import { settleTurn } from "./settle.ts";
import { build } from "./steps/build.ts";
import { command } from "./steps/command.ts";
import { compact } from "./steps/compact.ts";
import { respond } from "./steps/respond.ts";
import { restore } from "./steps/restore.ts";
import { run } from "./steps/run.ts";
import { save } from "./steps/save.ts";
import { type Row, row, type Turn, type TurnDeps } from "./turn.ts";

/** Rows by state; `done` has no step. */
export type TurnTable = Readonly<Record<Exclude<TurnState, "done">, Row>>;

/** The whole life of a turn. The last column is where to go on if the app dies in that state. */
// biome-ignore format: a table should look like one
export const turnTable: TurnTable = {
  restore: row(restore, { ok: "compact",                        failed: "save",    aborted: "save"    }, "restore"),
  compact: row(compact, { ok: "command",                        failed: "save",    aborted: "save"    }, "restore"),
  command: row(command, { dispatch: "build", shortcut: "done",  failed: "save",    aborted: "save"    }, "restore"),
  build:   row(build,   { ok: "run",                            failed: "save",    aborted: "save"    }, "restore"),
  run:     row(run,     { ok: "save", overflow: "compact",      failed: "save",    aborted: "save"    }, "run"),
  save:    row(save,    { ok: "respond",                        failed: "respond", aborted: "respond" }, "save"),
  respond: row(respond, { ok: "done",                           failed: "done",    aborted: "done"    }, "respond"),
};

/**
 * Takes a turn from its state to `done`. Each step's trace entry and the state after it are on disk before the next
 * step starts. Announces `turn.ended` exactly once. Throws only when the store does, or on an outcome without an edge.
 */
export async function runTurn(start: Turn, deps: TurnDeps, table: TurnTable = turnTable): Promise<Turn> {
  let turn = start;
  while (turn.state !== "done") {
    const { step, next } = table[turn.state];
    const startedAt = deps.now();
    const clock = deps.monotonicMs();
    const { outcome, notes, ...changes } = await step(turn, deps).catch(asOutcome);
    const state = Object.hasOwn(next, outcome) ? next[outcome] : undefined;
    if (state === undefined) {
      throw new AppError("internal", `Turn ${turn.id} in state ${turn.state}: no edge for the outcome "${outcome}".`);
    }
    const entry: TraceEntry = {
      turnId: turn.id,
      state: turn.state,
      outcome,
      startedAt,
      ms: deps.monotonicMs() - clock,
      ...(changes.error && { error: toWire(changes.error) }),
      ...(notes && notes.length > 0 && { notes: [...notes] }),
    };
    turn = { ...turn, ...changes, state };
    record(turn, entry, deps);
    deps.emit({ type: "state", sessionId: turn.sessionId, next: state, ...entry });
  }
  announceEnd(turn, deps);
  return turn;
}

/**
 * The entry and the next state, and with the last entry the end of the turn: one write. What a turn that failed could not
 * close while it ran is closed with it.
 */
function record(turn: Turn, entry: TraceEntry, { store, now }: TurnDeps): void {
  store.atomically(() => {
    store.advance(entry, turn.state);
    if (turn.state !== "done") return;
    if (turn.error) settleTurn(store, turn, now());
    store.endTurn(turn.id, {
      stopReason: stopReasonOf(turn),
      endedAt: now(),
      ...(turn.result?.usage && { usage: turn.result.usage }),
      ...(turn.error && { error: toWire(turn.error) }),
    });
  });
}

function announceEnd(turn: Turn, { emit }: TurnDeps): void {
  emit({
    type: "turn.ended",
    sessionId: turn.sessionId,
    turnId: turn.id,
    stopReason: stopReasonOf(turn),
    text: turn.reply ?? "",
    ...(turn.result?.usage && { usage: turn.result.usage }),
    ...(turn.error && { error: toWire(turn.error) }),
    ...(turn.nextSessionId && { nextSessionId: turn.nextSessionId }),
  });
}

function stopReasonOf(turn: Turn): StopReason {
  if (turn.error) return turn.error.code === "aborted" ? "aborted" : (turn.result?.stopReason ?? "error");
  return turn.result?.stopReason ?? "command";
}

function asOutcome(thrown: unknown): { outcome: string; notes?: readonly string[]; error: AppError } {
  const error = toAppError(thrown);
  return { outcome: error.code === "aborted" ? "aborted" : "failed", error };
}
