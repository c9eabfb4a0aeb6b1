import { AppError } from "../../shared/errors.ts";
import type { Setback } from "./setback.ts";

/** What was asked for: the bytes from `offset` on, of the version that `validator` names. */
export interface Asked {
  readonly host: string;
  readonly offset: number;
  readonly validator?: string;
  readonly expectedBytes?: number | undefined;
}

/** A good answer: where its first byte belongs, and the size of the whole file if the server says it. */
export interface Accepted {
  readonly at: number;
  readonly total?: number;
}

const reasons: Readonly<Record<number, string>> = {
  401: "asks for a sign-in",
  403: "does not allow this download",
  404: "does not have the file",
  407: "is behind a proxy that asks for a sign-in",
  410: "no longer has the file",
  429: "has had too many requests",
};
const passing = [408, 425, 429, 500, 502, 503, 504, 529];
const longestRetryAfterMs = 60_000;

/** The ETag or date that a later `If-Range` can name. A weak ETag cannot. */
export function validatorOf(headers: Headers): string | undefined {
  const etag = headers.get("etag");
  return etag !== null && !etag.startsWith("W/") ? etag : (headers.get("last-modified") ?? undefined);
}

/** Reads status and headers of an answer. Nothing of its body may be kept unless it is accepted here. */
export function judge({ status, headers }: Response, asked: Asked, now: number): Accepted | Setback {
  if (status === 416) return again(asked, "cannot continue what is here", { startOver: true });
  if (status !== 200 && status !== 206) return refusal(status, headers, asked, now);
  if ((headers.get("content-type") ?? "").startsWith("text/html"))
    return final(asked, "answered with a web page instead of the file: perhaps a sign-in page of this network");
  if ((headers.get("content-encoding") ?? "identity") !== "identity")
    return final(asked, "answered with packed bytes that were not asked for");

  const accepted = status === 206 ? continued(headers, asked) : { at: 0, ...sized(headers.get("content-length")) };
  if (accepted === undefined)
    return again(asked, "answered with another part of the file than was asked for", { startOver: true });
  const { expectedBytes } = asked;
  if (accepted.total !== undefined && expectedBytes !== undefined && accepted.total !== expectedBytes)
    return final(asked, `has a file of ${accepted.total} bytes, not the expected ${expectedBytes}`);
  return accepted;
}

function continued(headers: Headers, { offset, validator }: Asked): Accepted | undefined {
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get("content-range") ?? "");
  const version = validatorOf(headers) ?? validator;
  if (range === null || Number(range[1]) !== offset || version !== validator) return undefined;
  return { at: offset, ...sized(range[2]) };
}

const sized = (text: string | null | undefined): { total?: number } =>
  text != null && /^\d+$/.test(text) ? { total: Number(text) } : {};

function refusal(status: number, headers: Headers, asked: Asked, now: number): Setback {
  const reason = `${reasons[status] ?? "failed"} (HTTP ${status})`;
  if (!passing.includes(status)) return final(asked, reason);
  const afterMs = retryAfterMs(headers.get("retry-after"), now);
  if (afterMs > longestRetryAfterMs)
    return final(asked, `${reason}; it asks to wait ${Math.ceil(afterMs / 60_000)} minutes`);
  return again(asked, reason, { afterMs });
}

function retryAfterMs(header: string | null, now: number): number {
  if (header === null) return 0;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  return Math.max(0, (Date.parse(header) || now) - now);
}

const final = ({ host }: Asked, reason: string): Setback => ({
  error: new AppError("download-failed", `${host} ${reason}.`),
  again: false,
});

const again = (asked: Asked, reason: string, more: Partial<Setback>): Setback => ({
  ...final(asked, reason),
  again: true,
  ...more,
});
