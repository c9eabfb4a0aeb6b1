import type { WireError } from "./errors.ts";
import type { StopReason } from "./turn.ts";

/** How the terminal commands end. README lists the same table. */
export const exitCodes = {
  ok: 0,
  /** The turn ended with an error that none of the others names. */
  failed: 1,
  /** A flag or the message was not right; nothing was sent. */
  usage: 2,
  /** There is no model, or it cannot be used. */
  model: 3,
  /** The data folder cannot be used. */
  data: 4,
  /** Another Lares holds the data folder. */
  busy: 5,
  /** The message does not fit the model's window. */
  tooLong: 6,
  /** An answer that a crash interrupted waits for a decision. */
  waiting: 7,
  /** Stopped with Ctrl-C or /stop, as a shell counts it. */
  stopped: 130,
} as const;

const byCode: Partial<Record<WireError["code"], number>> = {
  "bad-request": exitCodes.usage,
  "blank-message": exitCodes.usage,
  "not-found": exitCodes.usage,
  "model-missing": exitCodes.model,
  "model-invalid": exitCodes.model,
  "model-unsupported": exitCodes.model,
  "model-held": exitCodes.model,
  "engine-crashed": exitCodes.model,
  "engine-unavailable": exitCodes.model,
  "out-of-memory": exitCodes.model,
  "download-failed": exitCodes.model,
  "hash-mismatch": exitCodes.model,
  offline: exitCodes.model,
  "data-folder": exitCodes.data,
  "data-newer": exitCodes.data,
  "data-damaged": exitCodes.data,
  "data-read-only": exitCodes.data,
  "disk-full": exitCodes.data,
  "disk-error": exitCodes.data,
  "data-busy": exitCodes.busy,
  "context-overflow": exitCodes.tooLong,
  aborted: exitCodes.stopped,
};

/** The exit code for a turn that ended so, or for an error before there was a turn. */
export function exitCodeOf(end: { stopReason?: StopReason; error?: Pick<WireError, "code"> | undefined }): number {
  if (end.error) return byCode[end.error.code] ?? exitCodes.failed;
  if (end.stopReason === "aborted") return exitCodes.stopped;
  return end.stopReason === "error" || end.stopReason === "interrupted" ? exitCodes.failed : exitCodes.ok;
}
