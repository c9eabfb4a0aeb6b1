import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { monotonicMs } from "../lib/clock.ts";
import type { PageFile } from "../lib/page-files.ts";
import { answer, readBody, refuseSocket, secretIn } from "./loopback-answer.ts";
import { createKeys, type Keys } from "./loopback-keys.ts";
import { createPages, type PagesOptions } from "./loopback-pages.ts";
import { refusalOf } from "./loopback-rules.ts";

export interface LoopbackOptions extends Pick<PagesOptions, "onPage"> {
  readonly files: ReadonlyMap<string, PageFile>;
  /** Another one is taken when this one is not free. Default: any. */
  readonly port?: number | undefined;
  /** A session that gave no sign of life for so long is over. Default: 12 h. */
  readonly idleMs?: number;
  /** How long a connection may take to say what it wants. Default: 10 s. */
  readonly headersMs?: number;
}

export interface Loopback {
  readonly port: number;
  /** An address that lets one page in, once. Whoever has it is taken for the person: it never goes into a log. */
  issueAddress(): string;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";
const MOST_CONNECTIONS = 128;
const MOST_HEADER_BYTES = 16 * 1024;

/** Serves the page and a WebSocket for each tab of it, to this computer only. Rejects when no port can be had. */
export async function startLoopback(options: LoopbackOptions): Promise<Loopback> {
  const { files, onPage, idleMs = 12 * 3_600_000, headersMs = 10_000 } = options;
  const keys = createKeys({ now: monotonicMs, idleMs });
  const pages = createPages({ keys, onPage, lookEveryMs: Math.min(idleMs, 60_000) });
  const server = createServer({
    maxHeaderSize: MOST_HEADER_BYTES,
    headersTimeout: headersMs,
    requestTimeout: headersMs,
    keepAliveTimeout: 5000,
    connectionsCheckingInterval: Math.min(1000, headersMs),
    requireHostHeader: false, // the rules ask for it themselves
  });
  server.maxConnections = MOST_CONNECTIONS;
  const port = await listen(server, options.port);

  /** The status that refuses a request. A secret that was put into its address is worth nothing from then on. */
  function refusal(request: IncomingMessage, upgrade = false): number | undefined {
    const query = request.url?.split("?").slice(1).join("?");
    for (const secret of new URLSearchParams(query).values()) keys.burn(secret);
    return refusalOf({ request, port, upgrade });
  }

  server.on("request", (request, response) => {
    const status = refusal(request);
    const file = request.method === "GET" ? files.get(request.url ?? "") : undefined;
    if (status !== undefined) answer(response, status);
    else if (file) answer(response, 200, file);
    else if (request.method === "POST" && request.url === "/session") void trade(keys, request, response);
    else answer(response, 404);
  });
  server.on("connect", (request, socket) => refuseSocket(socket, refusal(request) ?? 405));
  server.on("upgrade", (request, socket, head) => {
    const status = refusal(request, true) ?? (request.url === "/socket" ? undefined : 404);
    if (status === undefined) pages.open(request, socket, head);
    else refuseSocket(socket, status);
  });

  return {
    port,
    issueAddress: () => `http://${HOST}:${port}/#t=${keys.token()}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      pages.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** POST /session: a token for a session. Never rejects. */
async function trade(keys: Keys, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const isJson = /^application\/json(; ?charset=utf-8)?$/i.test(request.headers["content-type"] ?? "");
  if (!isJson) return answer(response, 415);
  const body = await readBody(request).catch(() => undefined); // the connection broke: nobody hears the answer
  if (body === undefined) return answer(response, 413);
  const verdict = keys.trade(secretIn(body, "token"));
  if (verdict === "wrong") return answer(response, 401);
  if (verdict === "paused") return answer(response, 429);
  return answer(response, 200, { type: "application/json", bytes: Buffer.from(JSON.stringify(verdict)) });
}

/**
 * Only ever on 127.0.0.1. What holds the wanted port may be anybody: then it is another port, and every address that is
 * issued names the one that is ours.
 */
async function listen(server: Server, wanted = 0): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject).listen(wanted, HOST, resolve);
  try {
    await promise;
  } catch (thrown) {
    if (wanted === 0) throw thrown;
    return listen(server);
  } finally {
    server.off("error", reject).off("listening", resolve);
  }
  return (server.address() as AddressInfo).port;
}
