import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { readPageFiles } from "../../src/main/lib/page-files.ts";
import { type Loopback, type LoopbackOptions, startLoopback } from "../../src/main/net/loopback.ts";

export interface Page extends Loopback {
  readonly origin: string;
  /** What the pages said, and who has gone. */
  readonly heard: readonly string[];
  /** Tells every page something. */
  tell(text: string): void;
}

/** The loopback server on a page of two files, closed with the test. */
export async function startPage(options: Partial<LoopbackOptions> = {}): Promise<Page> {
  const folder = mkdtempSync(join(tmpdir(), "lares-page-"));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "<p>page</p>");
  writeFileSync(join(folder, "assets", "main.js"), "go()");
  const files = await readPageFiles(folder);
  rmSync(folder, { recursive: true });
  const heard: string[] = [];
  const sends = new Set<(text: string) => void>();
  const loopback = await startLoopback({
    files,
    onPage(send) {
      sends.add(send);
      const closed = () => {
        sends.delete(send);
        heard.push("gone");
      };
      return { message: (text) => heard.push(text), closed };
    },
    ...options,
  });
  onTestFinished(() => loopback.close());
  const tell = (text: string) => {
    for (const send of sends) send(text);
  };
  return { ...loopback, origin: `http://127.0.0.1:${loopback.port}`, heard, tell };
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
}

/** Sends these very lines and gives the head of the answer; status 0: the connection was closed without one. */
export async function ask(port: number, lines: readonly string[]): Promise<RawAnswer> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  const headed = new Promise<void>((resolve) => {
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      text += chunk;
      if (text.includes("\r\n\r\n")) resolve();
    });
    socket.on("close", () => resolve()).on("error", () => resolve());
  });
  const hasBody = lines.includes("");
  socket.write(`${lines.join("\r\n")}${hasBody ? "" : "\r\n\r\n"}`);
  await headed;
  socket.destroy();
  const [first = "", ...rest] = (text.split("\r\n\r\n")[0] ?? "").split("\r\n");
  const headers = rest.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(first.split(" ")[1] ?? 0), headers: new Map(headers) };
}

/** Trades the token of an address as the page does. */
export async function trade(address: string): Promise<{ status: number; session: string }> {
  const { origin, hash } = new URL(address);
  const response = await fetch(`${origin}/session`, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ token: hash.slice("#t=".length) }),
  });
  const body = await response.text();
  return { status: response.status, session: response.ok ? JSON.parse(body).session : "" };
}

/** A socket that has sent its greeting, if it has one. */
export async function openSocket({ origin }: Pick<Page, "origin">, greeting?: unknown): Promise<WebSocket> {
  const socket = new WebSocket(`${origin.replace("http", "ws")}/socket`, { origin });
  onTestFinished(() => socket.terminate());
  socket.on("error", () => undefined);
  await once(socket, "open");
  if (greeting !== undefined) socket.send(JSON.stringify(greeting));
  return socket;
}

/** The code that the server closes a socket with. */
export const closeCode = async (socket: WebSocket): Promise<number> => {
  const [code] = await once(socket, "close");
  return code as number;
};
