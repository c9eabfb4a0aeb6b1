import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";

/** What came over one connection, byte for byte. */
export interface RawRequest {
  readonly head: string;
  readonly body: Buffer;
  readonly socket: Socket;
}

export interface RawServer {
  readonly origin: string;
  readonly port: number;
  readonly requests: readonly RawRequest[];
  /** Connections so far, whether or not a request came over them. */
  connections(): number;
  close(): Promise<void>;
}

/**
 * Reads HTTP by hand, so that nobody but the test counts its bytes, and lets `answer` write to the socket. A request is
 * whole when as many bytes of body have come as its head announces.
 */
export async function startRawServer(
  answer: (request: RawRequest) => void,
  {
    tls,
    host = "127.0.0.1",
    onConnection,
  }: { tls?: TlsOptions; host?: string; onConnection?: (socket: Socket) => void } = {},
): Promise<RawServer> {
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  const serve = (socket: Socket) => {
    sockets.add(socket);
    onConnection?.(socket);
    let bytes = Buffer.alloc(0);
    socket.on("error", () => undefined); // the other side is meant to break it
    socket.on("data", (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf("\r\n\r\n");
      if (end === -1) return;
      const head = bytes.subarray(0, end).toString("latin1");
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
      if (bytes.length < end + 4 + length) return;
      const request = { head, body: bytes.subarray(end + 4), socket };
      requests.push(request);
      bytes = Buffer.alloc(0);
      answer(request);
    });
  };
  const server: Server = tls ? createTlsServer(tls, serve) : createServer(serve);
  server.listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    requests,
    connections: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await sleep(0);
    },
  };
}
