import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setImmediate as nextTick } from "node:timers/promises";
import type { Answer, Reply, Wire } from "./script.ts";

/** A request as it arrived, to the byte. */
export interface Received {
  readonly method: string;
  /** Under the base address, with what stands behind `?`. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Settles when the connection of the request is gone or its answer complete: `true` when the client went first. */
  readonly left: Promise<boolean>;
}

export interface StandInOptions {
  readonly wire: Wire;
  /** What stands between the host and the paths of the wire, such as `/v1`. */
  readonly base?: string;
  /** The only key that is let in; absent: none is asked for. */
  readonly key?: string;
  readonly models?: readonly string[];
  /** One after the other; the last one from then on. */
  readonly script: readonly (Answer | Reply)[];
  /** Whether requests are looked at at all. Off for answers that come whatever was asked. */
  readonly lenient?: boolean;
}

export interface StandIn {
  readonly origin: string;
  /** What a person would type as the address. */
  readonly baseUrl: string;
  readonly requests: readonly Received[];
  /** Settles with the next request. */
  next(): Promise<Received>;
  close(): Promise<void>;
}

/** A vendor's server on loopback: strict about what it gets, scripted in what it says. */
export async function startStandIn(options: StandInOptions): Promise<StandIn> {
  const { base = "/v1", script } = options;
  const requests: Received[] = [];
  const waiting: ((received: Received) => void)[] = [];
  let answered = 0;

  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const path = request.url ?? "/";
    const left = once(response, "close").then(() => !response.writableFinished);
    const at = path.startsWith(`${base}/`) ? path.slice(base.length) : undefined;
    const received: Received = { method: request.method ?? "", path: at ?? path, headers: request.headers, body, left };
    requests.push(received);
    for (const wake of waiting.splice(0)) wake(received);
    const reply =
      at === undefined
        ? lost
        : replyTo({ ...received, path: at }, options, () => script[Math.min(answered++, script.length - 1)]);
    await write(response, reply);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    baseUrl: `${origin}${base}`,
    requests,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** What the host says where no API is: a page. */
const lost: Reply = {
  status: 404,
  headers: { "content-type": "text/html" },
  body: "<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>",
};

function replyTo(asked: Received, options: StandInOptions, next: () => Answer | Reply | undefined): Reply {
  const { wire, key, models = ["stand-in-1"], lenient = false } = options;
  if (key !== undefined && wire.keyOf(asked.headers) !== key)
    return refusalReply(wire, 401, "Incorrect API key provided.");
  const [path = ""] = asked.path.split("?");
  if (asked.method === "GET" && path === "/models") return jsonReply(200, wire.models(models));
  if (asked.method !== "POST" || !wire.takes(asked.path)) return refusalReply(wire, 404, `Not found: ${asked.path}`);
  const wrong = lenient ? undefined : judged(asked, wire);
  if (wrong) return jsonReply(wrong.status, wire.error(wrong));
  const answer = next();
  if (!answer) return refusalReply(wire, 500, "The script is empty.");
  return "pieces" in answer ? streamReply(wire.events(answer).map((text) => Buffer.from(text))) : answer;
}

function judged({ path, headers, body }: Received, wire: Wire) {
  if (!headers["content-type"]?.startsWith("application/json"))
    return { status: 415, message: "Content-Type must be JSON" };
  return wire.judge({ path, headers, body: parsed(body) });
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined; // the wire refuses it
  }
}

export const jsonReply = (status: number, value: unknown, headers: Reply["headers"] = {}): Reply => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(value),
});

const refusalReply = (wire: Wire, status: number, message: string): Reply =>
  jsonReply(status, wire.error({ status, message }));

export const streamReply = (body: Reply["body"], then: Reply["then"] = "end"): Reply => ({
  status: 200,
  headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" },
  body,
  then,
});

async function write(
  response: ServerResponse,
  { status = 200, headers = {}, body, then = "end" }: Reply,
): Promise<void> {
  response.writeHead(status, headers);
  response.flushHeaders();
  for (const piece of Array.isArray(body) ? body : [body]) {
    if (response.destroyed) return;
    if (!response.write(piece)) await Promise.race([once(response, "drain"), once(response, "close")]);
    await nextTick(); // so that pieces are packets of their own
  }
  if (then === "end") response.end();
  if (then === "cut") response.socket?.destroySoon();
}
