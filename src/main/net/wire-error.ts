import { AppError, type ErrorCode } from "../../shared/errors.ts";

type Named = readonly [RegExp, ErrorCode, (code: string) => string];

const today = (): string => new Date().toUTCString().slice(0, 16);
const clock = (): string => `This computer believes that today is ${today()}: if that is wrong, set its clock.`;

/** What the system and undici say, and what it means. The first that fits. */
const names: readonly Named[] = [
  [
    /^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ENETDOWN|EHOSTDOWN|EADDRNOTAVAIL|EACCES|EPERM)/,
    "offline",
    (code) => `cannot be reached (${code}). Check the connection.`,
  ],
  [/TIMEOUT|^ETIMEDOUT$/, "timeout", (code) => `did not answer (${code}). Try again later.`],
  [/EXPIRED|NOT_YET_VALID/, "server-untrusted", (code) => `cannot prove who it is now (${code}). ${clock()}`],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/,
    "server-untrusted",
    (code) => `does not speak TLS (${code}). Perhaps its address begins with http://.`,
  ],
  [/CERT|TLS|SSL|VERIFY/, "server-untrusted", (code) => `cannot prove who it is (${code}). A proxy may be in between.`],
  [
    /^HPE_|^HTTPParserError$|HEADERS_OVERFLOW/,
    "not-an-api",
    (code) => `does not answer as a web server does (${code}).`,
  ],
];

/** A failure for which there is no better name: the connection broke. */
export type Fault = "download-failed" | "provider-failed";

/** Names what a connection to `host` died of. An AppError keeps its name. */
export function wireError(thrown: unknown, host: string, fault: Fault): AppError {
  if (thrown instanceof AppError) return thrown;
  const code = isCutOff(thrown) ? "EOF" : codeOf(thrown) || codeOf(causeOf(thrown)) || nameOf(thrown);
  const [, name, words] = names.find(([pattern]) => pattern.test(code)) ?? [];
  if (name !== undefined && words !== undefined) return new AppError(name, `${host} ${words(code)}`, thrown);
  return new AppError(fault, `${host} broke off the connection (${code}). Try again.`, thrown);
}

/** Names why a signal was aborted: in the words that it was given, else it was a person. */
export function abortError(reason: unknown, host: string): AppError {
  if (reason instanceof AppError) return reason;
  if (reason instanceof Error && reason.name === "TimeoutError")
    return new AppError("timeout", `${host} did not answer in time. Try again later.`, reason);
  return new AppError("aborted", `The request to ${host} was stopped.`, reason);
}

/** An answer that ended in its middle; undici calls that bad HTTP, without a code. */
const isCutOff = (thrown: unknown): boolean => thrown instanceof Error && /\bEOF state\b/.test(thrown.message);
const causeOf = (thrown: unknown): unknown => (thrown instanceof Error ? thrown.cause : undefined);
const nameOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.name : "no reason given");

export const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
