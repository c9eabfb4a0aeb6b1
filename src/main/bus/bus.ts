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
  /** The turn that is asked again. */
  readonly replaces?: string;
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

/** What happened to a chat's queue from outside a turn: a message came in, or a stop turned what waited into drafts. */
export interface QueueNews {
  readonly sessionId: string;
  /** The message that was accepted. */
  readonly inboundId?: string;
}

/** Two roads: messages go in to one agent, events and what happens to the queues go out to everyone who listens. */
export function createBus(log: Log) {
  const listeners = new Set<(event: TurnEvent) => void>();
  const queueListeners = new Set<(news: QueueNews) => void>();
  let agent: Agent | undefined;

  function answering(): Agent {
    if (!agent) throw new AppError("internal", "A message came before the agent was ready.");
    return agent;
  }

  function tellAll<T>(listeners: ReadonlySet<(told: T) => void>, told: T, type: string): void {
    for (const listener of listeners) {
      try {
        listener(told);
      } catch (thrown) {
        // one bad channel must not silence the rest
        log.error("listener failed", { type, code: toAppError(thrown).code });
      }
    }
  }

  return {
    ask(message: InboundMessage): Accepted {
      const accepted = answering().accept(message);
      tellAll(queueListeners, { sessionId: message.sessionId, inboundId: accepted.inboundId }, "queue");
      return accepted;
    },
    stop(sessionId: string) {
      const stopped = answering().stop(sessionId);
      tellAll(queueListeners, { sessionId }, "queue");
      return stopped;
    },
    serve(serving: Agent): void {
      agent = serving;
    },
    tell: (event: TurnEvent): void => tellAll(listeners, event, event.type),
    /** Returns the function that ends the listening. */
    listen(listener: (event: TurnEvent) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Returns the function that ends the listening. */
    onQueue(listener: (news: QueueNews) => void): () => void {
      queueListeners.add(listener);
      return () => void queueListeners.delete(listener);
    },
  };
}

export type Bus = ReturnType<typeof createBus>;
