import { AppError, toAppError } from "../../shared/errors.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import { fittingResult, type KeepResult } from "./long-results.ts";
import { NOT_RUN } from "./settle.ts";

const LONGEST_SUMMARY = 300;

export interface ToolOutcome {
  readonly text: string;
  readonly summary: string;
  /** finished: it returned. failed: it said why not. unknown: it was given up while it ran. skipped: it never began. */
  readonly state: "finished" | "failed" | "unknown" | "skipped";
  /** It wanted to go where it may not. */
  readonly refusedPath: boolean;
}

/** Runs one tool within its time and result limits. Never throws: a failure is news for the model, not the end of the turn. */
export async function runTool(
  tool: Tool,
  input: unknown,
  context: ToolContext,
  keep?: KeepResult,
): Promise<ToolOutcome> {
  if (context.signal.aborted) return { text: NOT_RUN, summary: "not run", state: "skipped", refusedPath: false };
  const limit = AbortSignal.timeout(tool.timeoutMs);
  const signal = AbortSignal.any([context.signal, limit]);
  try {
    const result = await orAbandoned(tool.run(input, { ...context, signal }), signal);
    const text = await fittingResult(result.text, tool.resultCap, keep);
    return { text: text.toWellFormed(), summary: shortened(result.summary), state: "finished", refusedPath: false };
  } catch (thrown) {
    const aborted = context.signal.aborted;
    const given = aborted || limit.aborted;
    const error = given ? abandoned(tool, aborted) : toAppError(thrown);
    return {
      text: await fittingResult(error.message, tool.resultCap),
      summary: shortened(error.message),
      state: given && tool.class !== "read" ? "unknown" : "failed",
      refusedPath: error.code === "path-refused",
    };
  }
}

/** What stands beside a call, however much a tool has to say. */
const shortened = (text: string): string => text.slice(0, LONGEST_SUMMARY).toWellFormed();

function abandoned(tool: Tool, aborted: boolean): AppError {
  if (aborted) return new AppError("aborted", "Stopped by the user while it ran.");
  return new AppError("timeout", `${tool.name} took longer than ${tool.timeoutMs / 1000} s and was given up.`);
}

/** The result, or a rejection when the signal fires: a tool that ignores its signal is left behind. */
async function orAbandoned<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort: (() => void) | undefined;
  const given = new Promise<never>((_, reject) => {
    onAbort = () => reject(new AppError("aborted", "Given up."));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, given]);
  } finally {
    if (onAbort) signal.removeEventListener("abort", onAbort);
    work.catch(() => undefined); // a tool that fails after it was given up has nobody to tell
  }
}
