import { AppError, toAppError } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/events.ts";
import type { Log } from "../lib/log.ts";

/** What a channel may ask of the agent. No bag of metadata: a new need is a new, named field. */
export interface InboundMessage {
  /** Given by the channel, so that sending the same message twice is the same message. */
  readonly id: string;
  readonly channel: string;
  readonly sessionId: string;
  readonly text: string;
}

/** What the agent answers when the message is on disk. */
export interface Accepted {
  readonly inboundId: string;
  /** The text was changed on the way in (characters that no text may have were replaced). */
  readonly repaired: boolean;
}

export interface Agent {
  /** Throws AppError (blank-message, disk-full, …); then nothing was accepted. */
  accept(message: InboundMessage): Accepted;
  /** Ends what runs in a session, at once. Waiting messages become drafts. */
  stop(sessionId: string): { stopped: number; drafts: number };
}

/** Two roads: messages go in to one agent, events go out to everyone who listens. */
export function createBus(log: Log) {
  const listeners = new Set<(event: TurnEvent) => void>();
  let agent: Agent | undefined;

  function answering(): Agent {
    if (!agent) throw new AppError("internal", "A message came before the agent was ready.");
    return agent;
  }

  return {
    ask: (message: InboundMessage): Accepted => answering().accept(message),
    stop: (sessionId: string) => answering().stop(sessionId),
    serve(serving: Agent): void {
      agent = serving;
    },
    tell(event: TurnEvent): void {
      for (const listener of listeners) {
        try {
          listener(event);
        } catch (thrown) {
          // one bad channel must not silence the rest
          log.error("listener failed", { type: event.type, code: toAppError(thrown).code });
        }
      }
    },
    /** Returns the function that ends the listening. */
    listen(listener: (event: TurnEvent) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export type Bus = ReturnType<typeof createBus>;
