import { type AppError, toAppError, toWire, type WireError } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/events.ts";
import type { Road } from "./road.ts";
import type { Ended } from "./terminal.ts";

export interface ConversationOptions {
  readonly road: Pick<Road, "send" | "stop" | "listen">;
  readonly sessionId: string;
  readonly newId: () => string;
  readonly show: (event: TurnEvent) => void;
}

/** How a message or a turn ended, or the error that kept it from beginning or being followed to its end. */
export type Outcome = Ended | { readonly error: WireError };

/** The terminal's side of one chat: sends messages, shows the events of its session, and tells when an answer is over. */
export function createConversation({ road, newId, show, ...options }: ConversationOptions) {
  let { sessionId } = options;
  /** Messages on their way and turns that are followed, and who waits for their end. */
  const open = new Map<string, (outcome: Outcome) => void>();
  /** The message of each running turn, and the follow-ups that it took in. */
  const inboundsOf = new Map<string, string[]>();

  const unlisten = road.listen((event) => {
    if (!("sessionId" in event) || event.sessionId !== sessionId) return;
    if (event.type === "turn.started" || event.type === "injected") join(event.turnId, event.inboundId);
    show(event);
    if (event.type === "turn.ended") settle(event);
  }, lose);

  function join(turnId: string, inboundId: string): void {
    inboundsOf.set(turnId, [...(inboundsOf.get(turnId) ?? []), inboundId]);
  }

  function settle(event: Ended): void {
    if (event.nextSessionId) sessionId = event.nextSessionId;
    for (const id of [event.turnId, ...(inboundsOf.get(event.turnId) ?? [])]) {
      open.get(id)?.(event);
      open.delete(id);
    }
    inboundsOf.delete(event.turnId);
  }

  /** Nothing more will be heard of what is on its way. */
  function lose(error: AppError): void {
    for (const resolve of open.values()) resolve({ error: toWire(error) });
    open.clear();
    inboundsOf.clear();
  }

  /** Waits for the end of something that `begin` sets going. */
  async function upToEnd(id: string, begin: () => Promise<void>): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    open.set(id, resolve);
    try {
      await begin();
    } catch (thrown) {
      open.delete(id);
      return { error: toWire(toAppError(thrown)) };
    }
    return promise;
  }

  /** Resolves with the end of the turn, or with the error that kept the message from being accepted. */
  function send(text: string): Promise<Outcome> {
    const id = newId();
    return upToEnd(id, async () => {
      const { repaired } = await road.send({ id, sessionId, text });
      const note = "Characters that no text may have were replaced in your message.";
      if (repaired) show({ type: "notice", sessionId, turnId: "", code: "info", text: note });
    });
  }

  return {
    send,
    /** Resolves with the end of a turn that goes on when `begin` has said so. */
    follow: (turnId: string, begin: () => Promise<void>) => upToEnd(turnId, begin),
    stop: () => road.stop(sessionId),
    isBusy: () => open.size > 0,
    sessionId: () => sessionId,
    close: unlisten,
  };
}

export type Conversation = ReturnType<typeof createConversation>;
