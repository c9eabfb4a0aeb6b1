import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { pageHeaders } from "../../shared/policy.ts";
import type { PageFile } from "../lib/page-files.ts";

const MOST_BODY_BYTES = 1024;

/** Ends the response: with a file, or with the status in words and the connection closed. */
export function answer(response: ServerResponse, status: number, file?: PageFile): void {
  const { type, bytes } = file ?? inWords(status);
  const more = status === 200 ? {} : { Connection: "close" };
  response
    .writeHead(status, { ...pageHeaders, ...more, "Content-Type": type, "Content-Length": bytes.length })
    .end(bytes);
}

const inWords = (status: number): PageFile => ({
  type: "text/plain; charset=utf-8",
  bytes: Buffer.from(`${STATUS_CODES[status]}\n`),
});

/** The refusal of what asked for more than a page, written by hand because Node leaves it to us. */
export function refuseSocket(socket: Duplex, status: number): void {
  const headers = Object.entries({ ...pageHeaders, Connection: "close", "Content-Length": "0" });
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  socket.on("error", () => socket.destroy());
  socket.end(`${lines.join("\r\n")}\r\n\r\n`, () => socket.destroy());
}

/** Undefined: it is longer than anything we ask for. Rejects when the connection breaks. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > MOST_BODY_BYTES) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  // Kept open when left early: the answer still goes out through it.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > MOST_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The secret in what a page sends to be let in; empty, and so wrong, when that is anything else. */
export function secretIn(text: string, name: "token" | "session"): string {
  try {
    const value = Object(JSON.parse(text)) as Readonly<Record<string, unknown>>;
    const secret = Object.hasOwn(value, name) ? value[name] : "";
    return typeof secret === "string" ? secret : "";
  } catch {
    return ""; // not JSON
  }
}
