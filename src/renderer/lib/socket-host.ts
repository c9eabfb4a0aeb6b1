import type { HostBridge, Reply } from "../../shared/bridge.ts";
import { MAX_CALL_BYTES } from "../../shared/bridge.ts";
import { AppError, toWire } from "../../shared/errors.ts";
import type { StreamBatch, StreamEvent } from "../../shared/stream.ts";

const SESSION_KEY = "lares.session";
const RETRY_MS = [200, 500, 1000, 2000, 5000];

/** The socket's frames, both ways. */
type Incoming = { readonly id: number; readonly reply: Reply } | { readonly batch: StreamBatch };

const tooLong: Reply = {
  ok: false,
  error: toWire(new AppError("bad-request", "This is longer than Lares takes at once (1 MiB). Send less of it.")),
};

interface SocketHost extends HostBridge {
  /** Called once when the session is not known any more: only a new address helps. */
  onOver(listener: () => void): void;
}

/** Trades the token in the address for a session, once; a reload finds the session it had. Null: there is neither. */
export async function findSession(): Promise<string | null> {
  const token = new URLSearchParams(location.hash.slice(1)).get("t");
  if (token === null) return sessionStorage.getItem(SESSION_KEY);
  history.replaceState(null, "", location.pathname); // the token is used up: it need not stay in the address
  const answer = await fetch("/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  if (!answer.ok) return sessionStorage.getItem(SESSION_KEY);
  const { session } = (await answer.json()) as { session: string };
  sessionStorage.setItem(SESSION_KEY, session);
  return session;
}

/** The bridge of a page in a browser: calls and batches over one WebSocket that comes back when it is lost. */
export function createSocketHost(session: string): SocketHost {
  const listeners = new Set<(batch: StreamBatch) => void>();
  const waiting = new Map<number, { frame: string; resolve: (reply: Reply) => void }>();
  let socket: WebSocket | undefined;
  let calls = 0;
  let losses = 0;
  let isReady = false;
  let over: (() => void) | undefined;

  const tell = (...events: StreamEvent[]) => {
    const batch = { seq: 0, events: events.map((event) => ({ n: 0, event })) };
    for (const listener of listeners) listener(batch);
  };

  function connect(): void {
    socket = new WebSocket(`ws://${location.host}/socket`);
    socket.onopen = () => {
      socket?.send(JSON.stringify({ session }));
      isReady = true;
      for (const { frame } of waiting.values()) socket?.send(frame); // asked again: every call may be repeated
      if (losses > 0) tell({ type: "connection", up: true }, { type: "reset" });
      losses = 0;
    };
    socket.onmessage = ({ data }) => receive(JSON.parse(String(data)) as Incoming);
    socket.onclose = ({ code }) => {
      isReady = false;
      if (code === 4401) return over?.();
      if (losses === 0) tell({ type: "connection", up: false });
      setTimeout(connect, RETRY_MS[Math.min(losses++, RETRY_MS.length - 1)]);
    };
  }

  function receive(frame: Incoming): void {
    if ("batch" in frame) {
      for (const listener of listeners) listener(frame.batch);
      return;
    }
    waiting.get(frame.id)?.resolve(frame.reply);
    waiting.delete(frame.id);
  }

  connect();
  return {
    invoke(name, input) {
      const { promise, resolve } = Promise.withResolvers<Reply>();
      const id = ++calls;
      const frame = JSON.stringify({ id, name, input });
      if (name === "stream.ack") {
        if (isReady) socket?.send(frame);
        return Promise.resolve({ ok: true, value: {} });
      }
      // It would only end the connection, and be asked again on the next one.
      if (new TextEncoder().encode(frame).length > MAX_CALL_BYTES) return Promise.resolve(tooLong);
      waiting.set(id, { frame, resolve });
      if (isReady) socket?.send(frame);
      return promise;
    },
    onBatch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onOver(listener) {
      over = listener;
    },
  };
}
