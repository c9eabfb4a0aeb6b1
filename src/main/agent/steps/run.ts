import { AppError } from "../../../shared/errors.ts";
import { runAgent } from "../runner.ts";
import type { Step } from "../turn.ts";

/** Lets the model and its tools work until they have an answer. Whatever they produced is kept. */
export const run: Step<"ok" | "overflow" | "failed" | "aborted"> = async (turn, deps) => {
  deps.signal.throwIfAborted();
  const { runtime } = turn;
  if (!runtime) throw new AppError("internal", `Turn ${turn.id} came to run without a runtime.`);
  const result = await runAgent({ turn, runtime, deps });
  const { error, notes, requests } = result;
  if (!error) return { outcome: "ok", result, notes };
  if (error.code === "aborted") return { outcome: "aborted", result, error, notes };
  if (result.mendable) return { outcome: "overflow", overflows: turn.overflows + 1, requests, notes };
  return { outcome: "failed", result, error, notes };
};
