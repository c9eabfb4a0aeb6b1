import { useState } from "react";
import { type AppError, toAppError } from "../../shared/errors.ts";

/** What was asked for by a form: whether it is under way, and why it could not be done. */
export function useAttempt() {
  const [problem, setProblem] = useState<AppError | null>(null);
  const [isBusy, setBusy] = useState(false);

  /** Undefined: it could not be done, `problem` says why. */
  async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    setBusy(true);
    try {
      const done = await work();
      setProblem(null);
      return done;
    } catch (thrown) {
      setProblem(toAppError(thrown));
      return undefined;
    } finally {
      setBusy(false);
    }
  }

  return { problem, isBusy, attempt };
}
