import { toAppError, toWire, type WireError } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/events.ts";
import type { Bus } from "../bus/bus.ts";
import type { Ended } from "./terminal.ts";

export interface ConversationOptions {
  readonly bus: Bus;
  readonly sessionId: string;
  readonly newId: () => string;
  readonly show: (event: TurnEvent) => void;
}

/** The terminal's side of one chat: sends messages, shows the events of its session, and tells when an answer is over. */
export function createConversation({ bus, newId, show, ...options }: ConversationOptions) {
  let { sessionId } = options;
  /** Messages on their way, and who waits for their end. */
  const open = new Map<string, (ended: Ended) => void>();
  /** The message of each running turn, and the follow-ups that it took in. */
  const inboundsOf = new Map<string, string[]>();

  const unlisten = bus.listen((event) => {
    if (!("sessionId" in event) || event.sessionId !== sessionId) return;
    if (event.type === "turn.started") inboundsOf.set(event.turnId, [event.inboundId]);
    if (event.type === "injected") inboundsOf.get(event.turnId)?.push(event.inboundId);
    show(event);
    if (event.type === "turn.ended") settle(event);
  });

  function settle(event: Ended): void {
    if (event.nextSessionId) sessionId = event.nextSessionId;
    for (const inboundId of inboundsOf.get(event.turnId) ?? []) {
      open.get(inboundId)?.(event);
      open.delete(inboundId);
    }
    inboundsOf.delete(event.turnId);
  }

  /** Resolves with the end of the turn, or with the error that kept the message from being accepted. */
  function send(text: string): Promise<Ended | { error: WireError }> {
    const id = newId();
    const { promise, resolve } = Promise.withResolvers<Ended>();
    open.set(id, resolve);
    try {
      const { repaired } = bus.ask({ id, channel: "terminal", sessionId, text });
      const note = "Characters that no text may have were replaced in your message.";
      if (repaired) show({ type: "notice", sessionId, turnId: "", code: "info", text: note });
      return promise;
    } catch (thrown) {
      open.delete(id);
      return Promise.resolve({ error: toWire(toAppError(thrown)) });
    }
  }

  return {
    send,
    stop: () => bus.stop(sessionId),
    isBusy: () => open.size > 0,
    sessionId: () => sessionId,
    close: unlisten,
  };
}

export type Conversation = ReturnType<typeof createConversation>;
