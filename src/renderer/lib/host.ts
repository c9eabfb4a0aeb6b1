import type { HostBridge } from "../../shared/bridge.ts";
import { fromWire } from "../../shared/errors.ts";
import type { CallInput, CallName, CallOutput } from "../../shared/ipc.ts";
import type { NumberedEvent, StreamBatch } from "../../shared/stream.ts";

declare global {
  interface Window {
    /** Put there by the preload. In a browser there is none. */
    readonly host?: HostBridge;
  }
}

/** The assistant, as the page sees it. Which road leads there, it does not know. */
export interface Host {
  /** Rejects with an AppError. */
  call<N extends CallName>(name: N, input: CallInput<N>): Promise<CallOutput<N>>;
  /** The call with the path of a file that a person dropped. Rejects with bad-request in a browser, which does not tell it. */
  callOn<N extends CallName>(name: N, file: File): Promise<CallOutput<N>>;
  /** Returns the function that ends the listening. */
  onEvents(listener: (events: readonly NumberedEvent[]) => void): () => void;
}

const RESET: NumberedEvent = { n: 0, event: { type: "reset" } };

/** Makes calls typed, acknowledges batches, and turns a gap between them into a reset. */
export function createHost(bridge: HostBridge): Host {
  const listeners = new Set<(events: readonly NumberedEvent[]) => void>();
  let expected = 1;

  async function ask<N extends CallName>(name: N, input: CallInput<N> | File): Promise<CallOutput<N>> {
    const reply = await bridge.invoke(name, input);
    if (!reply.ok) throw fromWire(reply.error);
    return reply.value as CallOutput<N>; // parsed by the other side against this very entry
  }

  bridge.onBatch((batch: StreamBatch) => {
    if (batch.seq === 1) expected = 1; // a new connection
    const events = batch.seq === expected || batch.seq === 0 ? batch.events : [RESET, ...batch.events];
    if (batch.seq > 0) {
      expected = batch.seq + 1;
      void bridge.invoke("stream.ack", { seq: batch.seq });
    }
    for (const listener of listeners) listener(events);
  });

  return {
    call: ask,
    callOn: ask,
    onEvents(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
