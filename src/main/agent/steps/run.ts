import { AppError } from "../../../shared/errors.ts";
import { runAgent } from "../runner.ts";
import type { Step } from "../turn.ts";
import { prepare } from "./build.ts";

/** Lets the model and its tools work until they have an answer. Whatever they produced is kept. */
export const run: Step<"ok" | "overflow" | "failed" | "aborted"> = async (turn, deps) => {
  deps.signal.throwIfAborted();
  const prepared = turn.runtime ? turn : { ...turn, ...(await prepare(turn, deps)) };
  const { runtime, userMessage, system, history } = prepared;
  if (!runtime) throw new AppError("internal", `Turn ${turn.id} came to run without a runtime.`);
  const result = await runAgent({ turn: prepared, runtime, deps });
  const { error, notes, requests } = result;
  const learned = {
    runtime: result.runtime,
    ...(userMessage && { userMessage }),
    ...(system && { system }),
    history,
    notes,
  };
  if (!error) return { outcome: "ok", result, ...learned };
  if (error.code === "aborted") return { outcome: "aborted", result, error, ...learned };
  if (result.mendable) return { outcome: "overflow", overflows: turn.overflows + 1, requests, ...learned };
  return { outcome: "failed", result, error, ...learned };
};
