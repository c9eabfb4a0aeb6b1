import { AppError } from "../../shared/errors.ts";

/** A waiting line: one at a time, in the order of asking. */
export class Line {
  readonly #waiting = new Set<() => void>();
  #isBusy = false;

  /** Waits for its turn and returns the function that ends it. Whoever is stopped while waiting leaves at once with `aborted`. */
  async enter(signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) throw new AppError("aborted", "Stopped.");
    if (this.#isBusy) await this.#wait(signal);
    this.#isBusy = true;
    return () => this.#leave();
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = () => {
      this.#waiting.delete(call);
      reject(new AppError("aborted", "Stopped."));
    };
    const call = () => {
      signal.removeEventListener("abort", stop);
      resolve();
    };
    signal.addEventListener("abort", stop, { once: true });
    this.#waiting.add(call);
    return promise;
  }

  #leave(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#isBusy = false;
      return;
    }
    this.#waiting.delete(next); // stays busy: nobody may slip in before the one called
    next();
  }
}
