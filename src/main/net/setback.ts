import { AppError, type ErrorCode } from "../../shared/errors.ts";

/** A download that did not go on: what to tell, and whether another try can help. */
export interface Setback {
  readonly error: AppError;
  readonly again: boolean;
  /** Milliseconds the server asked to be left alone. */
  readonly afterMs?: number;
  /** What is there cannot be continued: the next try begins at byte zero. */
  readonly startOver?: boolean;
}

const unreachable = ["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ENETUNREACH", "EHOSTUNREACH", "ENETDOWN"];
const untrusted = /CERT|TLS|SSL|VERIFY/;
const diskFull = ["ENOSPC", "EDQUOT"];
const diskTrouble = ["EIO", "EROFS", "EACCES", "EPERM", "ENOENT", "EEXIST", "ENOTDIR", "EISDIR", "EFBIG", "EMFILE"];

const codeOf = (thrown: unknown): string => (thrown instanceof Error && "code" in thrown ? String(thrown.code) : "");

/** Names a failure of the disk at `to`; undefined when the disk is not what failed. */
export function diskError(thrown: unknown, to: string): AppError | undefined {
  const code = codeOf(thrown);
  if (diskFull.includes(code))
    return new AppError("disk-full", `The disk is full: ${to} does not fit. Free some room and try again.`, thrown);
  if (!diskTrouble.includes(code)) return undefined;
  return new AppError("disk-error", `${to} cannot be used (${code}). Check the folder and its permissions.`, thrown);
}

/** Names what was thrown while `host` was asked for a file that goes to `to`. An AppError keeps its name. */
export function setbackOf(thrown: unknown, host: string, to: string): Setback {
  if (thrown instanceof AppError) return { error: thrown, again: thrown.code === "timeout" };
  const disk = diskError(thrown, to);
  if (disk !== undefined) return { error: disk, again: false };

  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
  const code = codeOf(cause) || "no reason given";
  const setback = (name: ErrorCode, message: string, again: boolean): Setback => ({
    error: new AppError(name, `${host} ${message}`, thrown),
    again,
  });
  if (unreachable.includes(code)) return setback("offline", `cannot be reached (${code}). Check the connection.`, true);
  if (untrusted.test(code))
    return setback("download-failed", `cannot prove who it is (${code}). A proxy may be in between.`, false);
  if (code.includes("TIMEOUT") || code === "ETIMEDOUT")
    return setback("timeout", `did not answer (${code}). Try again later.`, true);
  return setback("download-failed", `broke off the connection (${code}). Try again.`, true);
}
