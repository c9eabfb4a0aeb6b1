import { type AppError, toAppError } from "../../shared/errors.ts";
import type { Log } from "../lib/log.ts";

/** A disk that refused to write is asked again so much later. */
const AGAIN_MS = 2_000;

/** What may be otherwise in a while, without anybody doing anything in Lares. */
const passing: ReadonlySet<AppError["code"]> = new Set(["disk-full", "disk-error", "data-busy"]);

interface RefusedOptions {
  readonly log: Log;
  /** Lets a session go on. */
  readonly wake: (sessionId: string) => void;
  /** A turn that broke is over in the store, too. */
  readonly ended: (turn: { sessionId: string; turnId: string }) => void;
}

/**
 * What the store refused: turns whose end could not be stored, and messages that could not be begun with. It is tried
 * again, the ends before anything else in their session: until then what waits there waits.
 */
export function createRefused({ log, wake, ended }: RefusedOptions) {
  /** By turn. */
  const ends = new Map<string, { readonly sessionId: string; readonly store: () => void }>();
  const timers = new Map<string, NodeJS.Timeout>();

  function storeEnds(sessionId: string): void {
    for (const [turnId, end] of ends) {
      if (end.sessionId !== sessionId) continue;
      end.store();
      ends.delete(turnId);
      ended({ sessionId, turnId });
    }
  }

  function tryAgain(sessionId: string): void {
    if (timers.has(sessionId)) return;
    const again = () => {
      timers.delete(sessionId);
      wake(sessionId);
    };
    timers.set(sessionId, setTimeout(again, AGAIN_MS));
  }

  return {
    keepEnd: (turn: { id: string; sessionId: string }, store: () => void): void =>
      void ends.set(turn.id, { sessionId: turn.sessionId, store }),
    /** What `work` begins in a session; undefined: nothing, or the store refused. */
    begin<T>(sessionId: string, work: () => T | undefined): T | undefined {
      try {
        storeEnds(sessionId);
        return work();
      } catch (thrown) {
        const { code } = toAppError(thrown);
        log.error("turn not begun", { session: sessionId, code });
        if (passing.has(code)) tryAgain(sessionId);
        return undefined;
      }
    },
    close(): void {
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}

export type Refused = ReturnType<typeof createRefused>;
