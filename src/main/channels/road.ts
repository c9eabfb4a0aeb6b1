import type { DeskClient } from "../../shared/bridge.ts";
import { type AppError, fromWire } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/events.ts";
import type { CallInput, CallName, CallOutput } from "../../shared/ipc.ts";
import type { Bus } from "../bus/bus.ts";

/** How a terminal reaches the assistant: in this process, or through the Lares that has the data folder. */
export interface Road {
  /** The message is on disk when it resolves. Rejects with the AppError that kept it from being accepted. */
  send(message: { readonly id: string; readonly sessionId: string; readonly text: string }): Promise<Sent>;
  /** Ends what runs in a session, as soon as it can. */
  stop(sessionId: string): void;
  /** `onLost`: the other side has gone, and nothing more will be told. Returns the function that ends the listening. */
  listen(onEvent: (event: TurnEvent) => void, onLost?: (error: AppError) => void): () => void;
  /** Everything a page may ask. Rejects with an AppError. */
  call<N extends CallName>(name: N, input: CallInput<N>): Promise<CallOutput<N>>;
}

export interface Sent {
  /** Characters that no text may have were replaced. */
  readonly repaired: boolean;
}

/** The desk's calls, typed, with errors that are thrown. */
export function callsOf({ call }: Pick<DeskClient, "call">): Road["call"] {
  return async <N extends CallName>(name: N, input: CallInput<N>) => {
    const reply = await call(name, input);
    if (!reply.ok) throw fromWire(reply.error);
    return reply.value as CallOutput<N>; // the desk has parsed it for this very name
  };
}

/** The road in this process: the bus, where nothing is told later than it happens, and the desk for all that is not a turn. */
export function roadInside(bus: Bus, client: DeskClient): Road {
  return {
    send: async (message) => bus.ask({ ...message, channel: "terminal" }),
    stop: (sessionId) => void bus.stop(sessionId),
    listen: (onEvent) => bus.listen(onEvent),
    call: callsOf(client),
  };
}

/** A road that outlives the Lares at its other end: when that one has gone, the next message goes over another. */
export function lastingRoad(first: Road, reopen: () => Promise<Road>): Road {
  const listeners = new Set<Parameters<Road["listen"]>>();
  let lost = false;
  let current = attach(first);
  let opening = Promise.resolve(first);

  function attach(opened: Road): Road {
    const leave = opened.listen(
      (event) => {
        for (const [onEvent] of listeners) onEvent(event);
      },
      (error) => {
        leave();
        lost = true;
        for (const [, onLost] of listeners) onLost?.(error);
      },
    );
    return opened;
  }

  async function openAnother(): Promise<Road> {
    try {
      current = attach(await reopen());
      return current;
    } catch (thrown) {
      lost = true;
      throw thrown;
    }
  }

  /** The one that leads somewhere. */
  function open(): Promise<Road> {
    if (lost) {
      lost = false;
      opening = openAnother();
    }
    return opening;
  }

  return {
    send: async (message) => (await open()).send(message),
    stop: (sessionId) => current.stop(sessionId),
    listen(...listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    call: async (name, input) => (await open()).call(name, input),
  };
}
