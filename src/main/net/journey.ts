import { AppError, type ErrorCode } from "../../shared/errors.ts";
import { farther, hostOf, placeOf, placeOfUrl, portOf } from "./addresses.ts";
import { type Call, locationOf, nextCall } from "./call.ts";
import type { Errand } from "./errand.ts";
import { checkAddresses, checkLocalMode, checkNoKey, checkRedirect, checkUrl } from "./guard.ts";
import type { Journal, Where } from "./journal.ts";
import type { Leg } from "./leg.ts";
import type { Limits } from "./limits.ts";
import { proxyFor } from "./proxy.ts";
import { addressesOf, type Resolve } from "./resolve.ts";
import { responseOf } from "./response.ts";
import { exchange, type Road } from "./wire.ts";
import { abortError, wireError } from "./wire-error.ts";

/** What all the connections of one request have in common. */
export interface Journey {
  readonly errand: Errand;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  readonly journal: Journal;
  readonly resolve: Resolve;
  readonly proxies: NodeJS.ProcessEnv;
  /** The connection stands, and the body is about to leave. */
  readonly onSent: (body: Uint8Array | undefined, leg: Leg) => void;
}

const MOST_REDIRECTS = 5;
/** Addresses of one name that are tried, and how long each but the last may take. */
const MOST_ADDRESSES = 4;
const IMPATIENT_MS = 2500;
/** What another address of the same name may not suffer from. */
const elsewhereHelps: readonly ErrorCode[] = ["offline", "timeout"];

/** Goes where the answers send it on to, each hop checked and written down like the first. Throws AppError. */
export async function follow(first: Call, journey: Journey): Promise<Response> {
  let from: URL | undefined;
  let call = first;
  for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
    const response = await send(call, from, journey);
    const location = locationOf(response);
    if (location === undefined) return response;
    await response.body?.cancel();
    from = call.url;
    call = nextCall(call, response.status, location);
  }
  const host = hostOf(first.url);
  throw new AppError("address-refused", `${host} redirects more than ${MOST_REDIRECTS} times. Try again later.`);
}

/** To the addresses of a name in turn, until one takes the request: never to a second one after that. */
async function send(call: Call, from: URL | undefined, journey: Journey): Promise<Response> {
  const roads = await findRoads(call.url, from, journey);
  const { connectMs } = journey.limits;
  let failure = new AppError("offline", `${hostOf(call.url)} has no address. Check the connection.`);
  for (const [at, road] of roads.entries()) {
    const isLast = at === roads.length - 1;
    const outcome = await travel(call, road, isLast ? connectMs : Math.min(connectMs, IMPATIENT_MS), journey);
    if (outcome instanceof Response) return outcome;
    failure = outcome.error;
    if (outcome.left || !elsewhereHelps.includes(failure.code)) break;
  }
  throw failure;
}

/** Where a request may be sent. What may not be is a row, too. */
async function findRoads(url: URL, from: URL | undefined, journey: Journey): Promise<Road[]> {
  const { errand, journal, resolve, proxies, signal } = journey;
  const host = hostOf(url);
  try {
    if (from) checkRedirect(from, url, errand);
    else checkNoKey(url);
    checkUrl(url, errand);
    if (journal.isLocalMode()) checkLocalMode(host, errand);
    const proxy = proxyFor(url, errand.purpose, proxies);
    const found = await addressesOf(proxy ? hostOf(proxy) : host, resolve, signal);
    if (!proxy) checkAddresses(url, found, errand);
    return found.slice(0, MOST_ADDRESSES).map((address) => ({ address, proxy }));
  } catch (thrown) {
    throw journal.refuse(errand, whereOf(url), nameError(thrown, host, journey));
  }
}

/** One connection. `left`: some of the request can have arrived. */
async function travel(
  call: Call,
  road: Road,
  connectMs: number,
  journey: Journey,
): Promise<Response | { error: AppError; left: boolean }> {
  const { errand, limits, journal, signal, onSent } = journey;
  const host = hostOf(call.url);
  const place = road.proxy ? "cloud" : farther(placeOfUrl(call.url.href), placeOf(road.address));
  const leg = journal.begin(errand, { ...whereOf(call.url), address: road.address, place }, signal);
  let left = false;
  const onConnected = () => {
    left = true;
    leg.meter.bodyOut = call.body?.byteLength ?? 0;
    onSent(call.body, leg);
  };
  const headersMs = place === "cloud" ? limits.headersMs : limits.nearbyHeadersMs;
  const whom = road.proxy ? `${host} (through the proxy ${hostOf(road.proxy)})` : host;
  const named = (thrown: unknown) => nameError(thrown, whom, journey);
  try {
    const answer = await exchange(call, road, { connectMs, headersMs, signal: leg.signal, onConnected });
    return responseOf(answer, { host, purpose: errand.purpose, limits, leg, nameError: named });
  } catch (thrown) {
    const error = named(thrown);
    leg.end(error);
    return { error, left };
  }
}

const whereOf = (url: URL): Where => ({
  host: hostOf(url) || url.protocol,
  port: portOf(url),
  place: placeOfUrl(url.href),
});

function nameError(thrown: unknown, host: string, { errand, signal }: Journey): AppError {
  if (thrown instanceof AppError) return thrown;
  if (signal.aborted) return abortError(signal.reason, host);
  return wireError(thrown, host, errand.purpose === "download" ? "download-failed" : "provider-failed");
}
