import { open } from "node:fs/promises";
import { AppError } from "../../shared/errors.ts";
import { type Accepted, judge } from "./answer.ts";
import type { Fetch } from "./errand.ts";
import { discard, forgetVersion, rememberVersion, resumePoint } from "./part.ts";
import { type Setback, setbackOf } from "./setback.ts";
import { createSink } from "./sink.ts";

/** Sees every byte that is written. */
export interface Tee {
  /** What follows belongs there; what it has seen behind that is gone. */
  start(at: number): void;
  write(bytes: Uint8Array, at: number): void;
}

/** One file to fetch. */
export interface Transfer {
  readonly url: string;
  /** The way out, for this errand. */
  readonly fetch: Fetch;
  /** The file that grows in place. */
  readonly to: string;
  readonly expectedBytes?: number | undefined;
  readonly signal: AbortSignal;
  readonly tee?: Tee | undefined;
  /** Bytes, after each piece. */
  readonly onProgress?: ((done: number, total: number | undefined) => void) | undefined;
}

/** One connection: goes on where `to` ends if the server still has that version. Never throws; undefined means all is there. */
export async function attempt(transfer: Transfer, stallMs: number): Promise<Setback | undefined> {
  const { url, fetch, to, expectedBytes, signal } = transfer;
  const { host } = new URL(url);
  const watchdog = createWatchdog(stallMs, host, signal);
  try {
    const asked = { host, expectedBytes, ...(await resumePoint(to, url)) };
    const response = await fetch(url, { headers: headersFor(asked), signal: watchdog.signal });
    const verdict = judge(response, asked, Date.now());
    if ("error" in verdict) await response.body?.cancel();
    else await rememberVersion(to, url, response.headers);
    const setback = "error" in verdict ? verdict : await receive(response, verdict, transfer, watchdog.feed);
    if (setback?.startOver) await discard(to);
    return setback;
  } catch (thrown) {
    return setbackOf(thrown, host, to);
  } finally {
    watchdog.stop();
  }
}

function headersFor({ offset, validator }: { offset: number; validator?: string }): Record<string, string> {
  const plain = { "accept-encoding": "identity" };
  return validator === undefined ? plain : { ...plain, range: `bytes=${offset}-`, "if-range": validator };
}

/** Writes the body to its place and says what is wrong with its length. */
async function receive(
  response: Response,
  accepted: Accepted,
  transfer: Transfer,
  feed: () => void,
): Promise<Setback | undefined> {
  const { to, url, expectedBytes, tee, onProgress } = transfer;
  const whole = accepted.total ?? expectedBytes;
  const fault = (text: string) => new AppError("download-failed", `${new URL(url).host} ${text}.`);
  const file = await open(to, accepted.at === 0 ? "w" : "a");
  const sink = createSink(file);
  let done = accepted.at;
  tee?.start(done);
  try {
    for await (const chunk of response.body ?? []) {
      done += chunk.byteLength;
      if (whole !== undefined && done > whole)
        return { error: fault(`sends more than the ${whole} bytes of the file`), again: false, startOver: true };
      await sink.write(chunk);
      tee?.write(chunk, done - chunk.byteLength);
      feed();
      onProgress?.(done, whole);
    }
  } finally {
    await sink
      .written() // whatever broke: what came is kept
      .then(() => file.sync())
      .finally(() => file.close());
  }
  onProgress?.(done, whole);
  if (whole !== undefined && done < whole) return { error: fault(`sent ${done} of ${whole} bytes`), again: true };
  await forgetVersion(to);
  return undefined;
}

/** Aborts its signal when `feed` was not called for `ms`, or together with the person's own signal. */
function createWatchdog(ms: number, host: string, signal: AbortSignal) {
  const silence = new AbortController();
  const timer = setTimeout(() => {
    silence.abort(new AppError("timeout", `${host} has sent nothing for ${Math.round(ms / 1000)} s. Try again later.`));
  }, ms);
  return {
    signal: AbortSignal.any([signal, silence.signal]),
    feed: () => void timer.refresh(),
    stop: () => clearTimeout(timer),
  };
}
