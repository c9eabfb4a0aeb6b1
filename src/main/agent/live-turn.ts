import { toAppError, toWire } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/events.ts";
import type { Inbound } from "../../shared/turn.ts";
import { runTurn } from "./machine.ts";
import type { Turn, TurnDeps } from "./turn.ts";

/**
 * One turn from its first write to its end. Never rejects: this is the one catch for a turn that could not even be
 * stored. `turn.ended` is told exactly once, and nothing after it carries the turn's id.
 */
export async function liveTurn(inbound: Inbound, deps: TurnDeps): Promise<void> {
  const { sessionId, id: inboundId, text: input } = inbound;
  const startedAt = deps.now();
  const turn: Turn = {
    id: deps.newId(),
    sessionId,
    inboundId,
    input,
    state: "restore",
    startedAt,
    history: [],
    overflows: 0,
    requests: 0,
  };
  const emit = untilEnded(deps.emit);
  try {
    deps.store.beginTurn({ id: turn.id, sessionId, inboundId, startedAt });
    await null; // the message is acknowledged before anything is told of its turn
    await runTurn(turn, { ...deps, emit });
  } catch (thrown) {
    endBroken(turn, thrown, { ...deps, emit });
  }
}

function untilEnded(emit: (event: TurnEvent) => void): (event: TurnEvent) => void {
  let ended = false;
  return (event) => {
    if (ended) return;
    ended = event.type === "turn.ended";
    emit(event);
  };
}

function endBroken({ id, sessionId }: Turn, thrown: unknown, { store, log, now, emit }: TurnDeps): void {
  const error = toWire(toAppError(thrown));
  log.error("turn broke", { turn: id, code: error.code });
  try {
    store.endTurn(id, { stopReason: "error", error, endedAt: now() });
  } catch (again) {
    log.error("end of turn not stored", { turn: id, code: toAppError(again).code }); // the next start reconciles it
  }
  emit({ type: "turn.ended", sessionId, turnId: id, stopReason: "error", text: "", error });
}
