import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { MAX_CALL_BYTES } from "../../shared/bridge.ts";
import { monotonicMs } from "../lib/clock.ts";
import { secretIn } from "./loopback-answer.ts";
import type { Keys, Visit } from "./loopback-keys.ts";

/** A page that was let in: what it says comes to `message`, what it is told goes through the `send` it was opened with. */
export interface Visitor {
  message(text: string): void;
  /** It has gone. */
  closed(): void;
}

export interface PagesOptions {
  readonly keys: Keys;
  readonly onPage: (send: (text: string) => void) => Visitor;
  /** How often a silent page is looked after, milliseconds. */
  readonly lookEveryMs: number;
}

/** Why a socket was closed, beside the codes that `ws` gives by itself. */
export const closeCodes = { leaving: 1001, textOnly: 1003, tooMuch: 1008, unknownSession: 4401, paused: 4429 } as const;

const GREETING_MS = 2000;
const LONGEST_GREETING = 1024;
const FRAMES_A_SECOND = 1000;
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

/** The sockets of the pages. The first frame of each names its session, and soon; until then nothing else is heard. */
export function createPages({ keys, onPage, lookEveryMs }: PagesOptions) {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_CALL_BYTES, perMessageDeflate: false });

  function greet(page: WebSocket): void {
    page.on("error", () => page.terminate()); // it broke the protocol; ws has sent the code for that
    const late = setTimeout(() => page.close(closeCodes.unknownSession), GREETING_MS);
    page.once("close", () => clearTimeout(late));
    page.once("message", (data, isBinary) => {
      clearTimeout(late);
      const text = isBinary ? "" : textOf(data);
      const verdict = text.length > LONGEST_GREETING ? "wrong" : keys.enter(secretIn(text, "session"));
      if (verdict === "wrong") page.close(closeCodes.unknownSession);
      else if (verdict === "paused") page.close(closeCodes.paused);
      else letIn(page, verdict);
    });
  }

  function letIn(page: WebSocket, visit: Visit): void {
    const visitor = onPage((text) => send(page, text));
    const isFlood = createFloodGate();
    const refusal = (isBinary: boolean) => {
      if (isBinary) return closeCodes.textOnly;
      if (isFlood()) return closeCodes.tooMuch;
      return visit.holds() ? undefined : closeCodes.unknownSession;
    };
    page.on("message", (data, isBinary) => {
      if (page.readyState !== page.OPEN) return;
      const code = refusal(isBinary);
      if (code !== undefined) return page.close(code);
      visit.touch();
      visitor.message(textOf(data));
    });
    page.on("ping", () => isFlood() && page.terminate()); // no browser pings
    const look = setInterval(() => visit.holds() || page.close(closeCodes.unknownSession), lookEveryMs);
    page.once("close", () => {
      clearInterval(look);
      visitor.closed();
    });
  }

  return {
    open: (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      sockets.handleUpgrade(request, socket, head, greet),
    close() {
      for (const page of sockets.clients) {
        page.close(closeCodes.leaving);
        page.terminate(); // the frame before is on its way; nobody waits for the answer to it
      }
    },
  };
}

function send(page: WebSocket, text: string): void {
  if (page.readyState !== page.OPEN) return;
  page.send(text);
  if (page.bufferedAmount > MOST_WAITING_BYTES) page.terminate(); // it reads nothing: it may come back and ask again
}

/** True when this frame is one too many for its second. */
export function createFloodGate(): () => boolean {
  let second = 0;
  let frames = 0;
  return () => {
    const now = Math.floor(monotonicMs() / 1000);
    frames = now === second ? frames + 1 : 1;
    second = now;
    return frames > FRAMES_A_SECOND;
  };
}

const textOf = (data: RawData): string => data.toString();
