import { z } from "zod";
import type { DeskClient, Reply } from "../../shared/bridge.ts";
import { AppError, toWire, WireError } from "../../shared/errors.ts";
import { TurnEvent } from "../../shared/events.ts";
import type { Hello } from "../../shared/ipc.ts";
import { connectLocally } from "../net/local-socket.ts";
import { parseJson } from "./desk-visitor.ts";
import { callsOf, type Road } from "./road.ts";

/** The Lares that has the data folder, as another one reaches it. */
export interface FirstLares {
  readonly road: Road;
  readonly hello: Hello;
  close(): void;
}

/** Something that is alive and well answers sooner. */
const HELLO_MS = 2_000;

const Frame = z.union([
  z.object({
    id: z.int(),
    reply: z.union([
      z.object({ ok: z.literal(true), value: z.unknown() }),
      z.object({ ok: z.literal(false), error: WireError }),
    ]),
  }),
  z.object({ batch: z.object({ seq: z.int(), events: z.array(z.object({ event: z.unknown() })) }) }),
]);

/** Reaches the Lares that has the folder. Undefined: there is none, or it does not answer. */
export async function reachFirst(dataFolder: string): Promise<FirstLares | undefined> {
  const wire = createWire();
  const connection = await connectLocally(dataFolder, wire.onMessage);
  if (!connection) return undefined;
  wire.open(connection.send);
  void connection.closed.then(wire.lose);
  const call = callsOf(wire);
  const hello = await Promise.race([call("app.hello", {}), afterMs(HELLO_MS)]).catch(() => undefined);
  if (!hello) {
    connection.close();
    return undefined;
  }
  const road: Road = {
    send: ({ id, sessionId, text }) => call("turns.send", { chatId: sessionId, inboundId: id, text }),
    // Whoever waits for the end of the turn hears of a connection that is lost; whoever stops need not.
    stop: (chatId) => void wire.call("turns.stop", { chatId }),
    listen: wire.listen,
    call,
  };
  return { road, hello, close: connection.close };
}

const LOST =
  "The Lares that this went through was closed. What was written is kept: " +
  "npm run -s recover shows it, if there is something to go on with.";
const BEHIND =
  "This terminal could not keep up with the answer. It goes on without being shown here, and is kept in its chat.";

/** Frames over a connection: calls and their replies, batches and their acknowledgements. */
function createWire() {
  const open = new Map<number, (reply: Reply) => void>();
  const listeners = new Set<Parameters<Road["listen"]>>();
  let send: ((text: string) => void) | undefined;
  let ids = 0;
  let lost: AppError | undefined;

  const call: DeskClient["call"] = (name, input) => {
    if (lost) return Promise.resolve({ ok: false, error: toWire(lost) });
    const { promise, resolve } = Promise.withResolvers<Reply>();
    open.set(++ids, resolve);
    send?.(JSON.stringify({ id: ids, name, input }));
    return promise;
  };

  function fail(error: AppError): void {
    for (const [, onLost] of listeners) onLost?.(error);
  }

  function lose(): void {
    if (lost) return;
    lost = new AppError("interrupted", LOST);
    for (const resolve of open.values()) resolve({ ok: false, error: toWire(lost) });
    open.clear();
    fail(lost);
  }

  function onMessage(text: string): void {
    const frame = Frame.safeParse(parseJson(text)).data;
    if (!frame) return; // of a later Lares, for others than us
    if ("reply" in frame) {
      open.get(frame.id)?.(frame.reply);
      open.delete(frame.id);
      return;
    }
    void call("stream.ack", { seq: frame.batch.seq });
    for (const { event } of frame.batch.events) hear(event);
  }

  function hear(event: unknown): void {
    const known = TurnEvent.safeParse(event).data; // the others are for pages
    if (known) for (const [onEvent] of listeners) onEvent(known);
    else if (isReset(event)) fail(new AppError("interrupted", BEHIND));
  }

  return {
    open(sending: (text: string) => void): void {
      send = sending;
    },
    call,
    lose,
    onMessage,
    listen(...listener: Parameters<Road["listen"]>) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const isReset = (event: unknown): boolean => Object(event).type === "reset";

const afterMs = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms, undefined).unref());
