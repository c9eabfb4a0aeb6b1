import { type AppError, toAppError, toWire } from "../../shared/errors.ts";
import type { FetchState } from "../../shared/views.ts";
import { createLull, createSpeed, type FetchProgress } from "./progress.ts";
import type { Slots } from "./slots.ts";

/** What a download does, whatever it brings. */
export interface Task {
  readonly modelId: string;
  /** Bytes of all files, as far as they are known before. */
  readonly total: number;
  /** Brings what is missing, and tells at most four times a second how it goes. Rejects with an AppError; what came stays. */
  bring(signal: AbortSignal, onProgress: (progress: FetchProgress) => void): Promise<void>;
  /** Bytes that are here after a stop. */
  left(): Promise<number>;
  /** Throws away what came. */
  discard(): Promise<void>;
}

/** One model's download, which can be paused and gone on with. */
export interface Download {
  state(): FetchState;
  /** Goes on where the last try stopped; does nothing while it runs or waits for its turn. */
  start(): void;
  pause(): void;
  /** Stops, and throws away what came. */
  cancel(): Promise<void>;
  /** Resolves when nothing of it runs. */
  settled(): Promise<void>;
}

export interface DownloadOptions {
  readonly task: Task;
  /** Only so many run at once; the others are queued. */
  readonly slots: Slots;
  /** Told of each change of state, and of the bytes. */
  readonly onChange: (state: FetchState) => void;
}

const states = { download: "fetching", verify: "checking" } as const;

export function createDownload({ task, slots, onChange }: DownloadOptions): Download {
  let state: FetchState = { modelId: task.modelId, state: "paused", done: 0, total: task.total, bytesPerSecond: 0 };
  let running: AbortController | undefined;
  let settled: Promise<void> = Promise.resolve();

  function change(next: Partial<FetchState>): void {
    const { error: _over, ...kept } = state;
    state = { ...kept, ...next };
    onChange(state);
  }

  async function run(controller: AbortController): Promise<void> {
    const { signal } = controller;
    const speed = createSpeed();
    const lull = createLull(() => state.bytesPerSecond > 0 && change({ bytesPerSecond: 0 }));
    let leave: (() => void) | undefined;
    function tell({ phase, done, total }: FetchProgress): void {
      if (signal.aborted) return;
      lull.feed();
      change({ state: states[phase], done, total, bytesPerSecond: phase === "download" ? speed(done) : 0 });
    }
    try {
      leave = await slots.enter(signal);
      if (state.state === "queued") change({ state: "fetching" });
      await task.bring(signal, tell);
      change({ state: "here", done: state.total, bytesPerSecond: 0 });
    } catch (thrown) {
      const done = await task.left();
      const isLast = running === controller; // else it was started again, and waits for us
      if (isLast) change({ ...ending(toAppError(thrown), signal), done, bytesPerSecond: 0 });
    } finally {
      lull.stop();
      leave?.();
    }
  }

  return {
    state: () => state,
    start() {
      if (running && !running.signal.aborted) return;
      const controller = new AbortController();
      running = controller;
      // Only once the try before has let go of its part.
      settled = settled.then(async () => {
        await run(controller);
        if (running === controller) running = undefined;
      });
      change({ state: slots.isFull ? "queued" : "fetching", bytesPerSecond: 0 });
    },
    pause: () => running?.abort(),
    async cancel() {
      running?.abort();
      await settled;
      if (state.state === "here") return; // it was faster
      await task.discard();
      change({ state: "paused", done: 0 });
    },
    settled: () => settled,
  };
}

const ending = (error: AppError, signal: AbortSignal): Pick<FetchState, "state" | "error"> =>
  signal.aborted ? { state: "paused" } : { state: "failed", error: toWire(error) };
