import { AppError } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/events.ts";
import type { Decision, Inbound, TurnRecord } from "../../shared/turn.ts";
import { continuedTurn } from "./live-turn.ts";
import { unansweredUnknown } from "./recovery.ts";
import { decideCall, settleTurn } from "./settle.ts";
import type { Store } from "./store.ts";
import type { Turn } from "./turn.ts";

interface UndecidedOptions {
  readonly store: Store;
  readonly now: () => number;
  readonly emit: (event: TurnEvent) => void;
  /** Lets a session go on. */
  readonly wake: (sessionId: string) => void;
}

/** What a person decides about turns that a crash interrupted. What is decided on one page is decided everywhere. */
export function createUndecided(options: UndecidedOptions) {
  const { store, now, emit, wake } = options;
  const goingOn = createGoingOn(options);

  /** The turn of a session that waits for a decision. */
  const inSession = (sessionId: string): TurnRecord | undefined =>
    store.recoveries(sessionId).find(({ recovery }) => recovery !== "undelivered");

  function continueTurn(turnId: string): void {
    const left = waiting(store, turnId);
    const { recovery, sessionId } = left;
    if (recovery === "undelivered") throw new AppError("bad-request", "This answer is whole already.");
    const unknown = unansweredUnknown(store, turnId).length;
    if (unknown > 0) {
      throw new AppError(
        "bad-request",
        `First say of ${unknown === 1 ? "the call" : `${unknown} calls`} that may have happened whether it did.`,
      );
    }
    goingOn.add(left);
    wake(sessionId);
  }

  function dismiss(turnId: string): void {
    const turn = waiting(store, turnId);
    if (turn.recovery === "undelivered") store.setRecovery(turnId, undefined);
    else settleTurn(store, turn, now());
    emit({ type: "settled", sessionId: turn.sessionId, turnId });
    wake(turn.sessionId);
  }

  function decide(turnId: string, callId: string, decision: Decision): void {
    const { sessionId } = waiting(store, turnId);
    if (!unansweredUnknown(store, turnId).includes(callId)) {
      throw new AppError("not-found", `There is no call ${callId} to be decided in this answer.`);
    }
    const isLast = store.atomically(() => {
      decideCall(store, { sessionId, turnId }, callId, decision, now());
      if (unansweredUnknown(store, turnId).length > 0) return false;
      store.setRecovery(turnId, "interrupted");
      return true;
    });
    try {
      if (isLast) continueTurn(turnId);
    } finally {
      emit({ type: "settled", sessionId, turnId });
    }
  }

  return {
    desk: { continueTurn, dismiss, decide },
    inSession,
    hold: goingOn.hold,
    takeGoingOn: goingOn.take,
    /**
     * Puts a message on disk; a newer one than an undecided turn leaves that turn as it is, in the same write. Returns
     * false for one that was there already.
     */
    accept(inbound: Omit<Inbound, "state">, { supersedes }: { supersedes: boolean }): boolean {
      const { id, sessionId } = inbound;
      if (store.inbound(id)) return false;
      const turn = supersedes ? inSession(sessionId) : undefined;
      store.atomically(() => {
        if (turn) settleTurn(store, turn, now());
        store.accept(inbound);
      });
      if (turn) emit({ type: "settled", sessionId, turnId: turn.id });
      return true;
    },
  };
}

/** Turns that are to go on as soon as there is a place. What is told of them begins with their going on. */
function createGoingOn({ store, now, emit }: UndecidedOptions) {
  /** By session, and as they were interrupted. */
  const turns = new Map<string, { turn: Turn; left: TurnRecord }>();
  return {
    /** On disk when it returns. */
    add(left: TurnRecord): void {
      const turn = continuedTurn(left, { store, now });
      store.reopenTurn(left.id, turn.state);
      turns.set(left.sessionId, { turn, left });
    },
    /** Takes the one of a session, once. */
    take(sessionId: string): Turn | undefined {
      const turn = turns.get(sessionId)?.turn;
      turns.delete(sessionId);
      return turn;
    },
    /** The one of a session is as interrupted as before. Returns whether there was one. */
    hold(sessionId: string): boolean {
      const held = turns.get(sessionId);
      if (!held) return false;
      const { id: turnId, stopReason = "interrupted", endedAt = now(), error, recovery } = held.left;
      store.endTurn(turnId, { stopReason, endedAt, ...(error && { error }), ...(recovery && { recovery }) });
      turns.delete(sessionId);
      emit({ type: "settled", sessionId, turnId });
      return true;
    },
  };
}

/** A turn that waits for the person. Throws where there is nothing to decide, or nothing any more. */
function waiting(store: Store, turnId: string): TurnRecord {
  const turn = store.turn(turnId);
  if (!turn) throw new AppError("not-found", `There is no answer ${turnId}.`);
  if (turn.recovery) return turn;
  throw new AppError("bad-request", "Nothing is to be decided about this answer any more.");
}

export type Undecided = ReturnType<typeof createUndecided>;
