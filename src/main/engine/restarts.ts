import { AppError } from "../../shared/errors.ts";
import type { EngineLimits } from "./limits.ts";

/** How often each model's child died lately, and what follows: wait a little before the next start, or pause. */
export class Restarts {
  readonly #limits: EngineLimits;
  readonly #now: () => number;
  readonly #models = new Map<string, { times: number[]; inRow: number; ending: string }>();

  /** `now`: monotonic milliseconds. */
  constructor(limits: EngineLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  crashed(path: string, ending: string): void {
    const earlier = this.#models.get(path);
    const times = [...(earlier?.times ?? []), this.#now()].slice(-this.#limits.pauseAfter);
    this.#models.set(path, { times, inRow: (earlier?.inRow ?? 0) + 1, ending });
  }

  /** A good answer came: the next start after a crash need not wait. Crashes still count towards a pause. */
  succeeded(path: string): void {
    const model = this.#models.get(path);
    if (model) model.inRow = 0;
  }

  forget(path: string): void {
    this.#models.delete(path);
  }

  /** Milliseconds to wait before the next start. */
  delay(path: string): number {
    const model = this.#models.get(path);
    if (!model || model.inRow === 0) return 0;
    const { restartMs } = this.#limits;
    const step = restartMs[Math.min(model.inRow, restartMs.length) - 1] ?? 0;
    return Math.max(0, (model.times.at(-1) ?? 0) + step - this.#now());
  }

  /** AppError `engine-unavailable` while the model pauses. */
  refusal(path: string): AppError | undefined {
    const { pauseAfter, pauseMs } = this.#limits;
    const model = this.#models.get(path);
    const first = model?.times.at(-pauseAfter);
    if (!model || first === undefined) return undefined;
    const left = first + pauseMs - this.#now();
    if (left <= 0) return undefined;
    return new AppError(
      "engine-unavailable",
      `The local model stopped ${pauseAfter} times in ${inMinutes(pauseMs)} (the last time: ${model.ending}). ` +
        `It can be started again in ${inMinutes(left)}. A smaller model or a smaller window needs less memory.`,
    );
  }
}

function inMinutes(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / 60_000));
  return minutes === 1 ? "1 minute" : `${minutes} minutes`;
}
