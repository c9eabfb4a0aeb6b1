import { AppError } from "../../shared/errors.ts";
import { describeEnding } from "./endings.ts";
import { EngineProcess, type ProcessOptions } from "./engine-process.ts";
import { FactsReply, type FileFacts, understood } from "./replies.ts";

/**
 * What a model file says of itself, read by a child of its own that is ended afterwards: it may die of the file, and the
 * model that is loaded elsewhere is not disturbed. Throws AppError (model-invalid, model-unsupported, model-missing, aborted).
 */
export async function inspectFile(
  path: string,
  signal: AbortSignal,
  options: Omit<ProcessOptions, "onEnd">,
): Promise<FileFacts> {
  const process = new EngineProcess({
    ...options,
    onEnd: (ending) =>
      ending.killedFor === "request"
        ? new AppError("aborted", "Stopped.")
        : new AppError(
            ending.during === "inspect" ? "model-invalid" : "engine-unavailable",
            `${path} could not be looked at: the program that reads it stopped (${describeEnding(ending, options.limits)}). ` +
              "Download it again, or choose another file.",
          ),
  });
  try {
    await process.ready;
    const answer = await process.request({ type: "inspect", path }, signal, () => undefined);
    return understood(FactsReply.safeParse(answer).data);
  } finally {
    await process.end();
  }
}
