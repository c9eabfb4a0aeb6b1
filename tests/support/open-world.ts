import { execFileSync } from "node:child_process";
import { createServer, type Server, type ServerResponse } from "node:http";
import { createServer as createRawServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";

/** Every address that must not be reached, and two that may. In a namespace of their own all of them answer. */
const addresses = [
  "10.0.0.1",
  "100.64.0.1",
  "169.254.169.254",
  "192.0.0.8",
  "198.18.0.1",
  "93.184.216.34",
  "93.184.216.35",
];
const sixes = ["fc00::1", "fec0::1", "fe80::1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2001::1", "100::1", "5f00::1"];

/** Gives the loopback interface of an empty namespace all of these addresses. Never outside of one. */
export function ownAllAddresses(): void {
  const ip = (...args: string[]) => execFileSync("ip", args, { stdio: ["ignore", "ignore", "inherit"] });
  ip("link", "set", "lo", "up");
  for (const address of addresses) ip("addr", "add", `${address}/32`, "dev", "lo");
  for (const address of sixes) ip("addr", "add", `${address}/128`, "dev", "lo", "nodad");
}

const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));

/** What the server does with a path. */
const pages: Readonly<Record<string, (response: ServerResponse, query: string) => void>> = {
  "/to": (response, query) => response.writeHead(302, { location: query }).end(),
  "/hops": (response, query) =>
    query === "0" ? response.end("SECRET") : response.writeHead(302, { location: `/hops?${Number(query) - 1}` }).end(),
  "/bomb": (response) => {
    response.writeHead(200, { "content-encoding": "gzip" });
    for (let part = 0; part < 16; part += 1) response.write(bomb);
    response.end();
  },
  "/trap": (response) => {
    response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(4_000_000)));
  },
  "/odd-packing": (response) => response.writeHead(200, { "content-encoding": "exi" }).end("?"),
  "/drip": (response) => void setInterval(() => response.write("."), 100).unref(),
  "/endless": (response) => {
    const pour = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, "x")));
    };
    response.on("drain", pour);
    pour();
  },
  "/silent": () => undefined,
  "/nonsense": ({ socket }) => socket?.end("SSH-2.0-OpenSSH_9.6\r\n"),
  "/endless-header": ({ socket }) => socket?.write(`HTTP/1.1 200 OK\r\nx: ${"x".repeat(200_000)}`),
};

/** One server on every address of the namespace, at the port of the web. `reached`: the addresses of its connections, in order. */
export async function serveEverywhere(): Promise<{ reached: string[]; server: Server }> {
  const reached: string[] = [];
  const server = createServer((request, response) => {
    const [path = "", query = ""] = (request.url ?? "").split(/\?(.*)/s);
    const page = pages[path];
    if (page) page(response, query);
    else response.end("SECRET");
  });
  const note = (socket: Socket) => reached.push((socket.localAddress ?? "").replace(/^::ffff:/, ""));
  server.on("connection", note);
  await new Promise<void>((ready) => server.listen(80, "::", ready));
  const other = createRawServer((socket) => socket.end(void note(socket))).listen(8080, "::");
  await new Promise((ready) => other.once("listening", ready));
  return { reached, server };
}
