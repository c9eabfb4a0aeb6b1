import { setTimeout as after } from "node:timers/promises";
import { AppError } from "../../shared/errors.ts";

/** The wait of one turn before it asks a model again. */
export interface Pause {
  /** Resolves after `ms`, or when the person has had enough of waiting. Rejects with AppError `aborted` at a stop. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Ends the wait, if there is one. */
  end(): void;
}

export function createPause(): Pause {
  let hurry: AbortController | undefined;
  return {
    async wait(ms, signal) {
      hurry = new AbortController();
      const early = AbortSignal.any([signal, hurry.signal]);
      await after(ms, undefined, { signal: early }).catch(() => undefined); // by whom it was ended is seen below
      hurry = undefined;
      if (signal.aborted) throw new AppError("aborted", "Stopped.");
    },
    end: () => hurry?.abort(),
  };
}
