import type { TurnEvent } from "../../shared/events.ts";
import type { StreamEvent } from "../../shared/stream.ts";
import type { ChatSummary } from "../../shared/views.ts";
import type { DeskStore, StoredChat } from "./backend.ts";
import { chatSummary } from "./chat-summary.ts";
import { createRunningTurns } from "./running-turns.ts";
import type { StreamSender } from "./stream.ts";

/** The bus, as far as the desk listens to it. */
export interface News {
  listen(listener: (event: TurnEvent) => void): () => void;
  onQueue(listener: (news: { sessionId: string; inboundId?: string }) => void): () => void;
}

/** After these a chat is listed otherwise, or other messages wait in it. */
const changesTheList: ReadonlySet<TurnEvent["type"]> = new Set(["turn.started", "turn.ended", "injected", "settled"]);

/** What happens now, for every page: all events, numbered with one counter, to all who are connected. */
export function createLive({ news, storeOf }: { news: News; storeOf: (chatId: string) => DeskStore }) {
  const senders = new Set<StreamSender>();
  const running = createRunningTurns(storeOf);
  /** What was told last of each queue that is not empty. */
  const queues = new Map<string, string>();
  let number = 0;

  function tell(event: StreamEvent): void {
    number += 1;
    for (const sender of senders) sender.push({ n: number, event });
  }

  const summary = (chat: StoredChat): ChatSummary => chatSummary(chat, running.isIn(chat.id));

  function tellChat(chatId: string): void {
    const chat = storeOf(chatId).chat(chatId);
    if (chat) tell({ type: "chat", chat: summary(chat) });
  }

  function tellWaiting(chatId: string): void {
    const waiting = storeOf(chatId).waiting(chatId);
    const queue = waiting.map(({ id, state, after }) => `${id} ${state} ${after}`).join();
    if (queue === (queues.get(chatId) ?? "")) return;
    if (queue === "") queues.delete(chatId);
    else queues.set(chatId, queue);
    tell({ type: "waiting", chatId, waiting });
  }

  function onTurnEvent(event: TurnEvent): void {
    running.apply(event);
    tell(event);
    if (senders.size === 0) return; // the rest is read from the store, for those who look
    if (event.type === "turn.started" && running.inbound(event.turnId)?.replaces !== undefined) {
      tell({ type: "chat.stale", chatId: event.sessionId });
    }
    if (event.type === "turn.ended" || event.type === "settled") {
      const view = storeOf(event.sessionId).turnView(event.turnId);
      if (view) tell({ type: "turn.stored", view });
    }
    if (changesTheList.has(event.type) && "sessionId" in event) {
      tellChat(event.sessionId);
      tellWaiting(event.sessionId);
    }
  }

  news.listen(onTurnEvent);
  news.onQueue(({ sessionId, inboundId }) => {
    if (senders.size === 0) return;
    const inbound = inboundId === undefined ? undefined : storeOf(sessionId).inbound(inboundId);
    if (inbound) tell({ type: "accepted", inbound });
    if (inbound) tellChat(sessionId);
    tellWaiting(sessionId);
  });

  return {
    tell,
    tellChat,
    tellWaiting,
    summary,
    current: running.current,
    /** The number of the last event: what a page reads now has it in. */
    at: (): number => number,
    connect: (sender: StreamSender): void => void senders.add(sender),
    disconnect: (sender: StreamSender): void => void senders.delete(sender),
  };
}

export type Live = ReturnType<typeof createLive>;
