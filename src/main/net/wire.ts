import type { Socket } from "node:net";
import { buildConnector, Client, type Dispatcher, ProxyAgent } from "undici";
import { AppError } from "../../shared/errors.ts";
import { hostOf, isSameAddress } from "./addresses.ts";
import type { Call } from "./call.ts";

/** Where a request is sent: to this address and no other, or to the proxy that has it. */
export interface Road {
  readonly address: string;
  readonly proxy?: URL | undefined;
}

export interface WireOptions {
  readonly connectMs: number;
  readonly headersMs: number;
  readonly signal: AbortSignal;
  /** The connection stands: the body is about to leave. */
  readonly onConnected: () => void;
}

const MOST_HEADERS = 64 * 1024;

/** One connection for one request. It is gone with `signal`, or when the body has ended. Throws what undici throws. */
export async function exchange(call: Call, road: Road, options: WireOptions): Promise<Dispatcher.ResponseData> {
  const { headersMs, signal } = options;
  const dispatcher = road.proxy ? throughProxy(road.proxy, road.address, options) : straight(call, road, options);
  signal.addEventListener("abort", () => void dispatcher.destroy().catch(() => undefined), { once: true });
  const answer = await dispatcher.request({
    origin: call.url.origin,
    path: `${call.url.pathname}${call.url.search}`,
    method: call.method,
    headers: Object.fromEntries(call.headers),
    body: call.body ?? null,
    signal,
    headersTimeout: headersMs,
    bodyTimeout: 0,
    reset: true, // one connection, one row
  });
  answer.body.on("error", () => undefined); // told to whoever reads it; nobody may
  return answer;
}

function straight({ url }: Call, { address }: Road, { connectMs, onConnected }: WireOptions): Dispatcher {
  const isName = hostOf(url) !== address;
  const dial = buildConnector({ allowH2: false, timeout: connectMs, maxCachedSessions: 0 });
  let isDialled = false;
  return new Client(url.origin, {
    maxHeaderSize: MOST_HEADERS,
    allowH2: false,
    connect(target, callback) {
      if (isDialled) return callback(new Error("A row of the ledger is one connection."), null);
      isDialled = true;
      const pinned = { ...target, hostname: address, ...(isName && { servername: hostOf(url) }) };
      return dial(pinned, (error, socket) => {
        if (!socket) return callback(error ?? new Error("There is no socket."), null);
        const wrong = elsewhere(socket, address, hostOf(url));
        if (!wrong) {
          onConnected();
          return callback(null, socket);
        }
        socket.destroy();
        callback(wrong, null);
      });
    },
  });
}

/** Nothing should be able to lead a socket away from where it was sent; if anything does, it ends here. */
function elsewhere({ remoteAddress }: Socket, address: string, host: string): AppError | undefined {
  if (remoteAddress !== undefined && isSameAddress(remoteAddress, address)) return undefined;
  return new AppError(
    "address-refused",
    `${host} was connected at another address than the one looked up. Nothing was sent.`,
  );
}

function throughProxy(proxy: URL, address: string, { connectMs, onConnected }: WireOptions): Dispatcher {
  const uri = new URL(proxy);
  uri.hostname = address.includes(":") ? `[${address}]` : address;
  onConnected();
  return new ProxyAgent({
    uri: uri.href,
    proxyTls: { servername: hostOf(proxy) },
    connectTimeout: connectMs,
    maxHeaderSize: MOST_HEADERS,
    allowH2: false,
  });
}
