import { z } from "zod";

/** Every failure Lares can name. The channels have words for each; add a code here first. */
export const errorCodes = [
  "bad-request", // a caller broke the contract, or a flag is unknown
  "blank-message", // there is nothing in the message
  "not-found", // the thing asked for does not exist
  "aborted", // the person stopped it
  "interrupted", // the app died in the middle of it
  "data-busy", // another process holds the data folder
  "data-folder", // the data folder cannot be used as one
  "data-newer", // a newer Lares wrote the data folder
  "data-damaged", // the database does not read as one
  "data-read-only", // the data folder cannot be written
  "disk-full", // no room for what must be stored
  "disk-error", // the disk refused to read or write
  "model-missing", // no model was chosen, or its file is not there
  "model-invalid", // the file is not a usable GGUF
  "model-unsupported", // a GGUF of an architecture this llama.cpp does not know
  "model-held", // the file made the engine crash before and is held back
  "engine-crashed", // the engine process died while it worked
  "engine-unavailable", // the engine process cannot be started
  "out-of-memory", // the model or its window does not fit this computer
  "context-overflow", // the prompt does not fit the model's window
  "provider-failed", // the model's side broke off
  "timeout", // no progress within the limit
  "quota", // the account behind the model has run out
  "rate-limited", // the model's side wants to be asked less often
  "overloaded", // the model's side has no room just now
  "key-missing", // there is no key for this connection
  "key-refused", // the model's side does not accept the key
  "key-locked", // the keys cannot be opened yet: a passphrase or the keyring is needed
  "model-gone", // the model's side does not have this model
  "request-refused", // the model's side cannot read the request
  "not-an-api", // what answers at the address is not what was looked for
  "server-untrusted", // the other side cannot prove who it is
  "local-mode", // nothing leaves this computer while Local mode is on
  "consent-needed", // the person has not allowed this chat to leave
  "never-cloud", // the chat is marked never to leave
  "address-refused", // an address that may not be connected to
  "download-failed", // the bytes did not arrive
  "hash-mismatch", // the bytes that arrived are not the right ones
  "offline", // the network cannot be reached
  "path-refused", // a path outside the workspace, or not a regular file
  "bad-arguments", // a tool call's arguments do not fit its schema
  "tool-failed", // a tool could not do what it was asked
  "internal", // a bug: anything not named above
] as const;
export const ErrorCode = z.enum(errorCodes);
export type ErrorCode = z.infer<typeof ErrorCode>;

/** An error as it crosses a process or is stored in a row. */
export const WireError = z.object({ code: ErrorCode, message: z.string(), retryable: z.boolean() });
export type WireError = z.infer<typeof WireError>;

const retryableCodes: ReadonlySet<ErrorCode> = new Set([
  "interrupted",
  "engine-crashed",
  "provider-failed",
  "rate-limited",
  "overloaded",
  "timeout",
  "download-failed",
  "offline",
  "data-busy",
  "disk-full",
]);

/** The one error class of Lares: a code for the program, a message for the person. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  /** Milliseconds the other side asked to be left alone for. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, cause?: unknown, retryAfterMs?: number) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }

  get retryable(): boolean {
    return retryableCodes.has(this.code);
  }
}

/** Gives any thrown value a code. The only place that guesses. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (!(thrown instanceof Error)) return new AppError("internal", wordsOf(thrown));
  return new AppError(thrown.name === "AbortError" ? "aborted" : "internal", thrown.message, thrown);
}

/** Of what is no error, and may not even have a name. */
function wordsOf(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null) return String(thrown);
  return "message" in thrown && typeof thrown.message === "string" ? thrown.message : "It broke without saying why.";
}

export function toWire({ code, message, retryable }: AppError): WireError {
  return { code, message, retryable };
}

export function fromWire({ code, message }: WireError): AppError {
  return new AppError(code, message);
}
