import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../shared/errors.ts";
import { attempt, type Transfer } from "./attempt.ts";
import { sizeOf } from "./part.ts";

export interface FetchLimits {
  /** Longest silence of the server, before its answer and within it. */
  readonly stallMs: number;
  /** Tries in a row that bring nothing new. */
  readonly tries: number;
  /** The first wait between tries; it doubles. */
  readonly firstWaitMs: number;
}

export interface FetchOptions extends Transfer {
  readonly limits?: Partial<FetchLimits> | undefined;
}

const defaults: FetchLimits = { stallMs: 30_000, tries: 4, firstWaitMs: 1000 };

/**
 * Fetches a file over http(s) into `to`, and returns its size once it is durable. What an earlier call left there is
 * continued, if the server still has the same version (`<to>.version` remembers which); so is a connection that breaks.
 * Throws AppError (aborted, offline, timeout, download-failed, disk-full, disk-error); what came so far stays in `to`.
 */
export async function fetchFile(options: FetchOptions): Promise<number> {
  const { url, to, expectedBytes, signal } = options;
  const { stallMs, tries, firstWaitMs } = { ...defaults, ...options.limits };
  const host = hostOf(url);
  const first = await sizeOf(to);
  if (first > 0 && first === expectedBytes) return first;

  let best = first;
  for (let failures = 1; ; failures += 1) {
    const setback = await attempt(options, stallMs);
    const size = await sizeOf(to);
    if (setback === undefined) return size;
    if (size > best) failures = 1;
    best = Math.max(best, size);
    if (signal.aborted) throw stopped(host);
    // A server that was never there will not be there in a second; one that has already given bytes may well be.
    const hopeless = setback.error.code === "offline" && best === first;
    if (!setback.again || hopeless || failures >= tries) throw setback.error;
    const waitMs = firstWaitMs * 2 ** (failures - 1) * (1 + Math.random() / 4);
    await sleep(Math.max(waitMs, setback.afterMs ?? 0), undefined, { signal }).catch(() => {
      throw stopped(host);
    });
  }
}

function hostOf(url: string): string {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address && /^https?:$/.test(address.protocol)) return address.host;
  throw new AppError("bad-request", `"${url}" is not a web address. Check HF_ENDPOINT.`);
}

const stopped = (host: string): AppError =>
  new AppError("aborted", `The download from ${host} was stopped. What came so far is kept.`);
