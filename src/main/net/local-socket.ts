import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { MAX_CALL_BYTES } from "../../shared/bridge.ts";
import { findAddress, forgetAddress, makeAddress } from "./local-address.ts";
import { createFloodGate, type Visitor } from "./loopback-pages.ts";

export interface LocalServer {
  /** Lets nobody in any more; who is in stays. */
  stopListening(): void;
  /** How many are in. */
  visitors(): number;
  /** Resolves when nobody is in. */
  empty(): Promise<void>;
  /** Sends everyone away. Safe to call twice. */
  close(): void;
}

export interface LocalConnection {
  send(text: string): void;
  /** Resolves when the other side has gone, or this one has left. */
  readonly closed: Promise<void>;
  close(): void;
}

const MOST_VISITORS = 32;
const MOST_WAITING_BYTES = 16 * 1024 * 1024;
/** A call with its frame around it; what comes back to us may be longer: a chat has no such limit. */
const LONGEST_CALL = MAX_CALL_BYTES + 1024;
const LONGEST_ANSWER = 256 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * Listens for other processes of the same person, at an address that only they can reach: each line is a message.
 * To be called by whoever holds the lock of the folder. Rejects when the system gives no socket.
 */
export async function listenLocally(
  folder: string,
  onVisitor: (send: (text: string) => void) => Visitor,
): Promise<LocalServer> {
  /** Who is in, and when they have gone. */
  const inside = new Map<Socket, Promise<void>>();
  const server = createServer((socket) => {
    const closed = closeOf(socket);
    inside.set(socket, closed);
    void closed.then(() => inside.delete(socket));
    letIn(socket, onVisitor);
  });
  server.maxConnections = MOST_VISITORS;
  await listen(server, makeAddress(folder));
  server.on("error", () => undefined); // one that could not be let in: it hears of it itself
  let listening = true;

  function stopListening(): void {
    if (!listening) return;
    listening = false;
    server.close();
    forgetAddress(folder);
  }

  return {
    stopListening,
    visitors: () => inside.size,
    async empty() {
      await Promise.all(inside.values());
    },
    close() {
      stopListening();
      for (const socket of inside.keys()) socket.destroy();
    },
  };
}

/** Nobody else may use the socket, not even for the moment between its making and a change of its mode. */
async function listen(server: Server, address: string): Promise<void> {
  const mask = process.umask(0o177);
  try {
    server.listen(address);
  } finally {
    process.umask(mask);
  }
  await once(server, "listening");
}

function letIn(socket: Socket, onVisitor: (send: (text: string) => void) => Visitor): void {
  const visitor = onVisitor((text) => {
    write(socket, text);
    if (socket.writableLength > MOST_WAITING_BYTES) socket.destroy(); // it reads nothing
  });
  const isFlood = createFloodGate();
  onLines(socket, LONGEST_CALL, (line) => {
    if (isFlood()) socket.destroy();
    else visitor.message(line);
  });
  socket.once("close", () => visitor.closed());
}

/** Reaches the Lares that holds the folder; undefined: nobody listens. */
export async function connectLocally(
  folder: string,
  onMessage: (text: string) => void,
): Promise<LocalConnection | undefined> {
  const socket = connect(findAddress(folder));
  const closed = closeOf(socket);
  onLines(socket, LONGEST_ANSWER, onMessage);
  const isOpen = await Promise.race([once(socket, "connect").then(() => true), closed.then(() => false)]).catch(
    () => false, // why there is nobody makes no difference
  );
  if (!isOpen) return undefined;
  return { send: (text) => write(socket, text), closed, close: () => socket.destroy() };
}

/** Also after an error: `once` of Node would reject then. */
const closeOf = (socket: Socket) => new Promise<void>((resolve) => socket.once("close", () => resolve()));

function write(socket: Socket, text: string): void {
  if (socket.writable) socket.write(`${text}\n`);
}

/** Gives each whole line on; a line that is longer than allowed ends the connection, and so does an error. */
function onLines(socket: Socket, longest: number, onLine: (line: string) => void): void {
  let held: Buffer[] = [];
  let bytes = 0;
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1 && !socket.destroyed; end = chunk.indexOf(NEWLINE, from)) {
      const line = Buffer.concat([...held, chunk.subarray(from, end)]);
      [held, bytes, from] = [[], 0, end + 1];
      if (line.length <= longest) onLine(line.toString("utf8"));
      else socket.destroy();
    }
    held.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > longest) socket.destroy();
  });
}
