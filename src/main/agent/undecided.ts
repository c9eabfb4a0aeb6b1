import { AppError } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/events.ts";
import type { Decision, Inbound, TurnRecord } from "../../shared/turn.ts";
import { unansweredUnknown } from "./recovery.ts";
import { decideCall, settleTurn } from "./settle.ts";
import type { Store } from "./store.ts";

interface UndecidedOptions {
  readonly store: Store;
  readonly now: () => number;
  readonly emit: (event: TurnEvent) => void;
  /** Lets a session go on. */
  readonly wake: (sessionId: string) => void;
}

/** What a person decides about turns that a crash interrupted. What is decided on one page is decided everywhere. */
export function createUndecided({ store, now, emit, wake }: UndecidedOptions) {
  /** Turns that are to go on as soon as there is a place, by session. */
  const goingOn = new Map<string, string>();

  /** The turn of a session that waits for a decision. */
  const inSession = (sessionId: string): TurnRecord | undefined =>
    store.recoveries(sessionId).find(({ recovery }) => recovery !== "undelivered");

  function continueTurn(turnId: string): void {
    const { recovery, sessionId } = waiting(store, turnId);
    if (recovery === "undelivered") throw new AppError("bad-request", "This answer is whole already.");
    const unknown = unansweredUnknown(store, turnId).length;
    if (unknown > 0) {
      throw new AppError(
        "bad-request",
        `First say of ${unknown === 1 ? "the call" : `${unknown} calls`} that may have happened whether it did.`,
      );
    }
    goingOn.set(sessionId, turnId);
    wake(sessionId);
  }

  function dismiss(turnId: string): void {
    const turn = waiting(store, turnId);
    if (turn.recovery === "undelivered") store.setRecovery(turnId, undefined);
    else settleTurn(store, turn, now());
    goingOn.delete(turn.sessionId);
    emit({ type: "settled", sessionId: turn.sessionId, turnId });
    wake(turn.sessionId);
  }

  function decide(turnId: string, callId: string, decision: Decision): void {
    const { sessionId } = waiting(store, turnId);
    if (!unansweredUnknown(store, turnId).includes(callId)) {
      throw new AppError("not-found", `There is no call ${callId} to be decided in this answer.`);
    }
    decideCall(store, { sessionId, turnId }, callId, decision, now());
    if (unansweredUnknown(store, turnId).length === 0) {
      store.setRecovery(turnId, "interrupted");
      continueTurn(turnId);
    }
    emit({ type: "settled", sessionId, turnId });
  }

  return {
    desk: { continueTurn, dismiss, decide },
    inSession,
    /** Takes the turn that is to go on in a session, once. */
    takeGoingOn(sessionId: string): TurnRecord | undefined {
      const turnId = goingOn.get(sessionId);
      goingOn.delete(sessionId);
      const turn = turnId === undefined ? undefined : store.turn(turnId);
      return turn?.recovery ? turn : undefined;
    },
    /**
     * Puts a message on disk; a newer one than an undecided turn leaves that turn as it is, in the same write. Returns
     * false for one that was there already.
     */
    accept(inbound: Omit<Inbound, "state">, { supersedes }: { supersedes: boolean }): boolean {
      const { id, sessionId } = inbound;
      if (store.inbound(id)) return false;
      const turn = supersedes && !goingOn.has(sessionId) ? inSession(sessionId) : undefined;
      store.atomically(() => {
        if (turn) settleTurn(store, turn, now());
        store.accept(inbound);
      });
      if (turn) emit({ type: "settled", sessionId, turnId: turn.id });
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
