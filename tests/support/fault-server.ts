import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** One answer of a server that has a file. What is not set is as it should be. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent instead of the file. */
  readonly body?: string | Buffer;
  readonly etag?: string;
  /** Pays no attention to Range. */
  readonly noRange?: boolean;
  /** Added to the beginning of the range that is sent. */
  readonly shift?: number;
  /** The connection is cut after so many bytes of the answer. */
  readonly cutAfter?: number;
  /** Nothing more comes after so many bytes, and the connection stays. */
  readonly stallAfter?: number;
  /** No length is announced; the answer ends after so many bytes as if that were all. */
  readonly endAfter?: number;
  /** The file comes in twelve pieces, so many milliseconds apart. */
  readonly dripMs?: number;
  /** So many bytes come every ten milliseconds. */
  readonly pace?: number;
  /** The connection is cut before any answer. */
  readonly hangUp?: boolean;
}

export interface FaultServer {
  readonly url: string;
  /** Headers of the requests so far. */
  readonly requests: readonly IncomingHttpHeaders[];
  close(): Promise<void>;
}

/** A file server on loopback that gives one answer of the script after the other, and the last one from then on. */
export async function startFaultServer(file: Buffer, script: readonly Answer[]): Promise<FaultServer> {
  const requests: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    await buffer(request);
    const answer = script[Math.min(requests.length, script.length - 1)] ?? {};
    requests.push(request.headers);
    giveAnswer(request, response, file, answer);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** One answer to one request for `file`. */
export function giveAnswer(request: IncomingMessage, response: ServerResponse, file: Buffer, answer: Answer): void {
  if (answer.hangUp) request.socket.destroy();
  else if (answer.body !== undefined || answer.status !== undefined)
    response.writeHead(answer.status ?? 200, answer.headers).end(answer.body ?? "");
  else sendFile(response, file, request.headers, answer);
}

function sendFile(response: ServerResponse, file: Buffer, asked: IncomingHttpHeaders, answer: Answer): void {
  const { etag = '"one"', shift = 0, headers = {} } = answer;
  const from = Number(/^bytes=(\d+)-$/.exec(asked.range ?? "")?.[1] ?? Number.NaN);
  const continues = !answer.noRange && Number.isInteger(from) && asked["if-range"] === etag;
  const start = continues ? from + shift : 0;
  const body = file.subarray(start);
  const length = answer.endAfter === undefined ? { "content-length": String(body.length) } : {};
  const range = continues ? { "content-range": `bytes ${start}-${file.length - 1}/${file.length}` } : {};
  response.writeHead(continues ? 206 : 200, { etag, ...length, ...range, ...headers });
  const stop = answer.cutAfter ?? answer.stallAfter ?? answer.endAfter;
  if (answer.dripMs !== undefined) drip(response, body, answer.dripMs, Math.ceil(body.length / 12));
  else if (answer.pace !== undefined) drip(response, body, 10, answer.pace);
  else if (stop === undefined) response.end(body);
  else
    response.write(body.subarray(0, stop), () => {
      // A moment later: what fetch has received but not handed out is lost when the connection breaks.
      if (answer.cutAfter !== undefined) setTimeout(() => response.destroy(), 50);
      if (answer.endAfter !== undefined) response.end();
    });
}

function drip(response: ServerResponse, body: Buffer, everyMs: number, step: number): void {
  let at = 0;
  const timer = setInterval(() => {
    response.write(body.subarray(at, at + step));
    at += step;
    if (at < body.length) return;
    clearInterval(timer);
    response.end();
  }, everyMs);
  response.once("close", () => clearInterval(timer));
}
