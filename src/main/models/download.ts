import { join } from "node:path";
import { type AppError, toAppError, toWire } from "../../shared/errors.ts";
import type { FetchState } from "../../shared/views.ts";
import { monotonicMs } from "../lib/clock.ts";
import type { ModelEntry } from "./catalogue.ts";
import { type FetchModelOptions, type FetchProgress, fetchModel } from "./fetch-model.ts";
import { bytesLeft } from "./part-folder.ts";

export interface DownloadOptions extends Omit<FetchModelOptions, "signal" | "onProgress"> {
  readonly entry: ModelEntry;
  /** Told of each change of state, and at most four times a second of the bytes. */
  readonly onChange: (state: FetchState) => void;
}

/** One model's download, which can be paused and gone on with. */
export interface Download {
  state(): FetchState;
  /** Goes on where the last try stopped; does nothing while it runs. */
  start(): void;
  pause(): void;
  /** Resolves when nothing of it runs. */
  settled(): Promise<void>;
}

const LEAST_MS = 250;
const SPEED_OVER_MS = 3000;
const states = { download: "fetching", verify: "checking" } as const;

export function createDownload({ entry, onChange, ...options }: DownloadOptions): Download {
  const target = join(options.modelsFolder, entry.file);
  let state: FetchState = { modelId: entry.id, state: "paused", done: 0, total: entry.bytes, bytesPerSecond: 0 };
  let running: AbortController | undefined;
  let settled: Promise<void> = Promise.resolve();

  function change(next: Partial<FetchState>): void {
    const { error: _over, ...kept } = state;
    state = { ...kept, ...next };
    onChange(state);
  }

  async function run(controller: AbortController): Promise<void> {
    const speed = createSpeed();
    let told = Number.NEGATIVE_INFINITY;
    const onProgress = ({ phase, done }: FetchProgress) => {
      if (controller.signal.aborted) return;
      const bytesPerSecond = phase === "download" ? speed(done) : 0;
      const now = monotonicMs();
      if (states[phase] === state.state && done < entry.bytes && now - told < LEAST_MS) return;
      told = now;
      change({ state: states[phase], done, bytesPerSecond });
    };
    try {
      controller.signal.throwIfAborted();
      await fetchModel(entry, { ...options, signal: controller.signal, onProgress });
      change({ state: "here", done: entry.bytes, bytesPerSecond: 0 });
    } catch (thrown) {
      const done = await bytesLeft(target);
      const isLast = running === controller; // else it was started again, and waits for us
      if (isLast) change({ ...ending(toAppError(thrown)), done, bytesPerSecond: 0 });
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
      change({ state: "fetching", bytesPerSecond: 0 });
    },
    pause: () => running?.abort(),
    settled: () => settled,
  };
}

const ending = (error: AppError): Pick<FetchState, "state" | "error"> =>
  error.code === "aborted" ? { state: "paused" } : { state: "failed", error: toWire(error) };

/** Bytes in a second over the last seconds; 0 until that can be said. */
function createSpeed(): (done: number) => number {
  const seen: { at: number; done: number }[] = [];
  return (done) => {
    const at = monotonicMs();
    seen.push({ at, done });
    while (seen.length > 2 && at - (seen[1]?.at ?? at) > SPEED_OVER_MS) seen.shift();
    const [first] = seen;
    if (!first || at - first.at < 1) return 0;
    return Math.max(0, Math.round(((done - first.done) / (at - first.at)) * 1000));
  };
}
