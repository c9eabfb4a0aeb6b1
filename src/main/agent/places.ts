import type { Pause } from "./pause.ts";

/** Something that runs in a session and can be stopped. */
export interface Running {
  readonly sessionId: string;
  readonly abort: AbortController;
  readonly pause: Pause;
  /** Resolves when it is over; never rejects. */
  readonly ended: Promise<void>;
}

/**
 * Who may run: one at a time in a session, at most `width` sessions at once, the longest waiting first. `start` begins
 * the next thing of a session, or says that there is none. What is idle is forgotten.
 */
export function createPlaces(width: number, start: (sessionId: string) => Running | undefined) {
  const busy = new Map<string, Running>();
  const waiting = new Set<string>();
  let closed = false;

  /** Lets a session go on, as soon as there is a place. */
  function wake(sessionId: string): void {
    waiting.add(sessionId);
    fill();
  }

  function fill(): void {
    for (const sessionId of waiting) {
      if (closed || busy.size >= width) return;
      if (busy.has(sessionId)) continue; // it is woken again when its turn is over
      waiting.delete(sessionId);
      const running = start(sessionId);
      if (running) occupy(sessionId, running);
    }
  }

  function occupy(sessionId: string, running: Running): void {
    busy.set(sessionId, running);
    void running.ended.then(() => {
      busy.delete(sessionId);
      wake(sessionId);
    });
  }

  return {
    wake,
    running: (sessionId: string): Running | undefined => busy.get(sessionId),
    all: (): Running[] => [...busy.values()],
    close(): void {
      closed = true;
    },
  };
}
