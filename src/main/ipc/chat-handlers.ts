import { AppError } from "../../shared/errors.ts";
import type { CallParsed } from "../../shared/ipc.ts";
import type { ChatSnapshot, ChatSummary, TurnView } from "../../shared/views.ts";
import { chatIdOf } from "../lib/chat-id.ts";
import type { StoredChat } from "./backend.ts";
import type { Client } from "./client.ts";
import type { DeskParts } from "./desk-parts.ts";
import type { Handlers } from "./serve.ts";

/** Turns that a page gets at once. */
const PAGE = 40;

type ChatCalls = Exclude<Extract<keyof Handlers<Client>, `chats.${string}`>, "chats.leaving" | "chats.allow">;

/** Chats: the list, what is in one, and what a person does with one as a whole. */
export function chatHandlers(desk: DeskParts): Pick<Handlers<Client>, ChatCalls> {
  const { backend, live, deleted, unborn, storeOf } = desk;
  const { kept, private: hidden } = backend.stores;

  /** Changes a chat and tells everyone. Throws not-found. */
  function change(chatId: string, work: () => void): ChatSummary {
    work();
    const chat = storedChat(desk, chatId);
    live.tellChat(chatId);
    return live.summary(chat);
  }

  return {
    "chats.list": () => {
      const chats = [...hidden.chats(), ...kept.chats()].sort((a, b) => b.updatedAt - a.updatedAt);
      return { chats: chats.map(live.summary) };
    },
    "chats.create": (choice) => ({ chatId: chatIdOf(backend.newId(), choice) }),
    "chats.open": (input, { sender }) => {
      sender.barrier();
      return snapshot(desk, input);
    },
    "chats.earlier": ({ chatId, before }) => {
      const turns = storeOf(chatId).turnViews(chatId, { before, limit: PAGE }).map(live.current);
      return { turns, hasEarlier: hasEarlier(desk, chatId, turns) };
    },
    "chats.rename": ({ chatId, title }) => change(chatId, () => storeOf(chatId).renameChat(chatId, title)),
    "chats.pin": ({ chatId, pinned }) => change(chatId, () => storeOf(chatId).pinChat(chatId, pinned)),
    "chats.model": ({ chatId, model }) => {
      if (!storeOf(chatId).chat(chatId) && !deleted.has(chatId)) return unborn.choose(chatId, model);
      return change(chatId, () => storeOf(chatId).setSessionModel(chatId, model ?? undefined));
    },
    "chats.delete": async ({ chatId }) => {
      storedChat(desk, chatId);
      await deleteChat(desk, chatId);
      return {};
    },
    "chats.restore": ({ chatId }) => {
      storeOf(chatId).restoreChat(chatId);
      deleted.remove(chatId);
      return change(chatId, () => undefined);
    },
    "chats.draft": ({ chatId, text }) => {
      storeOf(chatId).setDraft(chatId, text, backend.now());
      return {};
    },
    "chats.search": ({ query, limit }) => {
      const hits = [...kept.searchChats(query, limit), ...hidden.searchChats(query, limit)];
      return { hits: hits.slice(0, limit) };
    },
  };
}

const gone = (chatId: string) => new AppError("not-found", `There is no chat ${chatId}. It may have been deleted.`);

function storedChat({ storeOf }: DeskParts, chatId: string): StoredChat {
  const chat = storeOf(chatId).chat(chatId);
  if (!chat) throw gone(chatId);
  return chat;
}

/** Everything here is read in one go, so that no event falls between. */
function snapshot(desk: DeskParts, { chatId, through }: CallParsed<"chats.open">): ChatSnapshot {
  const { live, deleted, unborn, storeOf } = desk;
  if (deleted.has(chatId)) throw gone(chatId);
  const store = storeOf(chatId);
  const chat = store.chat(chatId);
  const goal = store.goal(chatId);
  const turns = chat ? turnsThrough(desk, chatId, through) : [];
  return {
    chat: chat ? live.summary(chat) : unborn.summary(chatId),
    turns: turns.map(live.current),
    hasEarlier: hasEarlier(desk, chatId, turns),
    waiting: store.waiting(chatId),
    ...(goal && { goal }),
    draft: store.draft(chatId),
    at: live.at(),
  };
}

/** The newest turns, back to one that is asked for. If another branch has that one, it is shown from now on. */
function turnsThrough(desk: DeskParts, chatId: string, through: string | undefined): TurnView[] {
  const { backend, live, storeOf } = desk;
  const store = storeOf(chatId);
  if (through === undefined || store.turn(through)?.sessionId !== chatId) {
    return store.turnViews(chatId, { limit: PAGE });
  }
  const read = () => store.turnViews(chatId, { limit: PAGE, through });
  const turns = read();
  const isShown = turns.some(({ turn }) => turn.id === through);
  if (isShown || backend.isRunning(chatId)) return turns;
  store.showTurn(through);
  live.tell({ type: "chat.stale", chatId });
  return read();
}

function hasEarlier({ storeOf }: DeskParts, chatId: string, [first]: readonly TurnView[]): boolean {
  return first !== undefined && storeOf(chatId).turnViews(chatId, { before: first.turn.id, limit: 1 }).length > 0;
}

/** What runs is stopped and has ended before the chat goes, and nothing new is let in meanwhile. */
async function deleteChat({ backend, live, deleted, storeOf }: DeskParts, chatId: string): Promise<void> {
  deleted.add(chatId);
  try {
    backend.stop(chatId);
    await backend.settled(chatId);
    storeOf(chatId).deleteChat(chatId, backend.now());
  } catch (thrown) {
    deleted.remove(chatId);
    throw thrown;
  }
  deleted.purgeLater();
  live.tell({ type: "chat.removed", chatId });
}
