import { AppError, type ErrorCode } from "../../shared/errors.ts";

/** What SQLite's result codes and the system's file errors mean to Lares. The first match counts. */
const meanings: readonly [pattern: RegExp, code: ErrorCode][] = [
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)$/, "disk-full"],
  [/^(SQLITE_IOERR|EIO$)/, "disk-error"],
  [/^(SQLITE_READONLY|(EROFS|EACCES|EPERM)$)/, "data-read-only"],
  [/^SQLITE_(CORRUPT|NOTADB)/, "data-damaged"],
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL)/, "data-busy"],
  [/^(SQLITE_CANTOPEN|(ENOENT|ENOTDIR|EISDIR|EEXIST|ENAMETOOLONG|ELOOP)$)/, "data-folder"],
  [/^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/, "bad-request"],
];

/** What happened to `path`, and what to do about it. */
const words: Partial<Record<ErrorCode, (path: string) => string>> = {
  "disk-full": (path) => `There is no room left to write ${path}. Nothing was changed. Free some space and try again.`,
  "disk-error": (path) => `The disk refused to read or write ${path}. Check the disk, then restart Lares.`,
  "data-read-only": (path) => `${path} cannot be written. Allow writing to it and to its folder, then try again.`,
  "data-damaged": (path) =>
    `${path} is damaged or not a file of Lares. Nothing was changed. Restart Lares: it keeps the file aside and brings over what can be read.`,
  "data-busy": (path) => `${path} is in use by another program. Close that program and try again.`,
  "data-folder": (path) => `${path} cannot be opened. Check that its folder exists and can be used, then try again.`,
};

/** The error Lares has for this trouble with a stored file. */
export function storeError(code: ErrorCode, path: string, cause?: unknown): AppError {
  return new AppError(code, words[code]?.(path) ?? `Something went wrong with ${path}.`, cause);
}

/** What SQLite says, without a code for it, of a header that asks for a schema of a kind that there is not. */
const unreadable = "unsupported file format";

/** Gives SQLite's and the file system's errors a code and words; anything else stays what it was. */
export function toStoreError(path: string, thrown: unknown): unknown {
  if (thrown instanceof AppError || !(thrown instanceof Error) || !("code" in thrown)) return thrown;
  const reason = thrown.message === unreadable ? "SQLITE_NOTADB" : String(thrown.code);
  const code = meanings.find(([pattern]) => pattern.test(reason))?.[1];
  if (code === "bad-request") return new AppError(code, `${path} refused a row: ${thrown.message}.`, thrown);
  if (code) return storeError(code, path, thrown);
  return reason.startsWith("SQLITE_")
    ? new AppError("internal", `SQLite failed on ${path}: ${thrown.message} (${reason}). Restart Lares.`, thrown)
    : thrown;
}
