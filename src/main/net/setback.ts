import { AppError } from "../../shared/errors.ts";
import { codeOf, wireError } from "./wire-error.ts";

/** A download that did not go on: what to tell, and whether another try can help. */
export interface Setback {
  readonly error: AppError;
  readonly again: boolean;
  /** Milliseconds the server asked to be left alone. */
  readonly afterMs?: number;
  /** What is there cannot be continued: the next try begins at byte zero. */
  readonly startOver?: boolean;
}

const diskFull = ["ENOSPC", "EDQUOT"];
const diskTrouble = ["EIO", "EROFS", "EACCES", "EPERM", "ENOENT", "EEXIST", "ENOTDIR", "EISDIR", "EFBIG", "EMFILE"];

/** Names a failure of the disk at `to`; undefined when the disk is not what failed. */
export function diskError(thrown: unknown, to: string): AppError | undefined {
  const code = codeOf(thrown);
  if (diskFull.includes(code))
    return new AppError("disk-full", `The disk is full: ${to} does not fit. Free some room and try again.`, thrown);
  if (!diskTrouble.includes(code)) return undefined;
  return new AppError("disk-error", `${to} cannot be used (${code}). Check the folder and its permissions.`, thrown);
}

/** Names what was thrown while `host` was asked for a file that goes to `to`. */
export function setbackOf(thrown: unknown, host: string, to: string): Setback {
  const disk = diskError(thrown, to);
  if (disk !== undefined) return { error: disk, again: false };
  const error = wireError(thrown, host, "download-failed");
  return { error, again: error.retryable };
}
