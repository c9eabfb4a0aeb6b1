import { basename } from "node:path";
import { InsufficientMemoryError, NoBinaryFoundError } from "node-llama-cpp";
import { AppError, type ErrorCode } from "../../../shared/errors.ts";
import { takeLines } from "./library-log.ts";

/** What llama.cpp logs when it refuses a file: its error itself only says that it failed. */
const reasons: readonly (readonly [pattern: RegExp, code: ErrorCode, problem: string, nextStep: string])[] = [
  [
    /unknown model architecture:? *'?([^']*)'?/,
    "model-unsupported",
    "its architecture $1 is not known to this Lares",
    "Update Lares, or choose another model.",
  ],
  [
    /unknown (?:pre-)?tokenizer[^']*'?([^']*)'?/,
    "model-unsupported",
    "its tokenizer $1 is not known to this Lares",
    "Update Lares, or choose another model.",
  ],
  [
    /not within the file bounds|failed to read|unexpectedly reached end/,
    "model-invalid",
    "a part of it is missing",
    "Download it again.",
  ],
  [
    /failed to allocate|unable to allocate|out of memory|cannot allocate/i,
    "out-of-memory",
    "this computer has not enough free memory for it",
    "Close other programs, choose a smaller window, or a smaller model.",
  ],
];

/** Gives a failed load one of our codes, and says what to do. */
export async function explainLoadError(thrown: unknown, path: string, signal: AbortSignal): Promise<AppError> {
  if (thrown instanceof AppError) return thrown;
  if (signal.aborted) return new AppError("aborted", `Loading ${basename(path)} was stopped.`, thrown);
  if (thrown instanceof NoBinaryFoundError)
    return new AppError(
      "engine-unavailable",
      "The engine for local models does not run on this computer. Install Lares again, or use a cloud model.",
      thrown,
    );
  const lines = await takeLines();
  const said = thrown instanceof InsufficientMemoryError ? "out of memory" : [...lines, String(thrown)].join("\n");
  for (const [pattern, code, problem, nextStep] of reasons) {
    const match = pattern.exec(said);
    if (match) return refusal(path, code, problem.replace("$1", match[1] ?? ""), nextStep, thrown);
  }
  const why = lines.at(-1) ?? (thrown instanceof Error ? thrown.message : String(thrown));
  return refusal(path, "model-invalid", `llama.cpp refuses it (${why})`, "Choose another file.", thrown);
}

const refusal = (path: string, code: ErrorCode, problem: string, nextStep: string, cause: unknown): AppError =>
  new AppError(code, `${basename(path)} cannot be used: ${problem}. ${nextStep}`, cause);
