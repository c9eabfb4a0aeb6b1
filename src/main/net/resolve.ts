import { lookup } from "node:dns/promises";
import { isAddress, isLocalhost } from "./addresses.ts";

/** All addresses of a name, the best first. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** As this computer sees it. */
export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true, order: "verbatim" })).map(({ address }) => address);

/**
 * At least one. Asks nobody for what is an address already, or this computer. Rejects as the system does, and with the
 * signal's reason once it is aborted.
 */
export async function addressesOf(host: string, resolve: Resolve, signal: AbortSignal): Promise<readonly string[]> {
  if (isAddress(host)) return [host];
  if (isLocalhost(host)) return ["127.0.0.1", "::1"];
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    const found = await Promise.race([resolve(host), aborted.promise]); // a look-up cannot be stopped, only left alone
    if (found.length > 0) return found;
    throw Object.assign(new Error(`${host} has no address`), { code: "ENODATA" });
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
