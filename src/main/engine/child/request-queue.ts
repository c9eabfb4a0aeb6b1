interface Waiting {
  readonly id: number;
  readonly run: (signal: AbortSignal) => Promise<void>;
  readonly cancelled: () => void;
}

export interface RequestQueue {
  /** Runs `run` after everything that was added before. `cancelled` is called instead when it is stopped before that. */
  add(id: number, run: (signal: AbortSignal) => Promise<void>, cancelled: () => void): void;
  abort(id: number): void;
  abortAll(): void;
  /** Resolves when everything added so far has ended. */
  idle(): Promise<void>;
}

/** The model has one memory: requests that use it take turns. `run` must not throw. */
export function createRequestQueue(): RequestQueue {
  const waiting = new Map<number, Waiting>();
  let running: { readonly id: number; readonly controller: AbortController } | undefined;
  let last = Promise.resolve();

  async function start(id: number): Promise<void> {
    const request = waiting.get(id);
    if (!request) return;
    waiting.delete(id);
    const controller = new AbortController();
    running = { id, controller };
    await request.run(controller.signal);
    running = undefined;
  }

  function abort(id: number): void {
    if (running?.id === id) running.controller.abort();
    const request = waiting.get(id);
    if (waiting.delete(id)) request?.cancelled();
  }

  return {
    add(id, run, cancelled) {
      waiting.set(id, { id, run, cancelled });
      last = last.then(() => start(id));
    },
    abort,
    abortAll() {
      for (const id of [...waiting.keys()]) abort(id);
      running?.controller.abort();
    },
    idle: () => last,
  };
}
