import { createStore, type StoreApi } from "zustand/vanilla";
import type { AppError } from "../../shared/errors.ts";
import { toAppError } from "../../shared/errors.ts";
import type { StreamEvent } from "../../shared/stream.ts";
import type { ChatSummary } from "../../shared/views.ts";
import type { Host } from "../lib/host.ts";

export interface ChatsState {
  readonly status: "reading" | "ready" | "failed";
  /** Every chat that is there, by its id. */
  readonly chats: Readonly<Record<string, ChatSummary>>;
  /** The open one. A chat that has no message yet is open and not in the list. */
  readonly current: string | null;
  /** A turn to jump to once the open chat is there: a search hit. */
  readonly target: string | null;
  readonly problem: AppError | null;
}

export const noChats: ChatsState = { status: "reading", chats: {}, current: null, target: null, problem: null };

/** Pure: the list after one more event. */
export function applyToChats(state: ChatsState, event: StreamEvent): ChatsState {
  if (event.type === "chat") return { ...state, chats: { ...state.chats, [event.chat.id]: event.chat } };
  if (event.type === "chat.removed") {
    const { [event.chatId]: _removed, ...chats } = state.chats;
    return { ...state, chats, current: state.current === event.chatId ? null : state.current };
  }
  if (event.type === "turn.ended" && event.nextSessionId && event.sessionId === state.current) {
    return { ...state, current: event.nextSessionId, target: null };
  }
  return state;
}

/** Pinned first, then the one changed last. */
export function inOrder(chats: ChatsState["chats"]): ChatSummary[] {
  return Object.values(chats).sort((a, b) => Number(b.pinned) - Number(a.pinned) || b.updatedAt - a.updatedAt);
}

export interface Chats {
  readonly store: StoreApi<ChatsState>;
  /** Reads the list once more, after that has failed. */
  read(): Promise<void>;
  /** Opens a chat, at a turn if one is given. */
  open(chatId: string, target?: string): void;
  /** Opens a new one. */
  create(options?: { private: boolean }): Promise<void>;
  rename(chatId: string, title: string): Promise<void>;
  pin(chatId: string, pinned: boolean): Promise<void>;
  /** It can be restored for a minute. */
  remove(chatId: string): Promise<void>;
  restore(chatId: string): Promise<void>;
}

/** The list of chats, and which one is open. */
export function createChats(host: Host): Chats {
  const store = createStore<ChatsState>(() => noChats);

  async function read(): Promise<void> {
    try {
      const { chats } = await host.call("chats.list", {});
      store.setState({ status: "ready", chats: Object.fromEntries(chats.map((chat) => [chat.id, chat])) });
    } catch (thrown) {
      store.setState({ status: "failed", problem: toAppError(thrown) });
    }
  }

  /** Does what was asked, or shows why it could not be. */
  async function attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      store.setState({ problem: null });
    } catch (thrown) {
      store.setState({ problem: toAppError(thrown) });
    }
  }

  host.onEvents((events) => {
    if (events.some(({ event }) => event.type === "reset")) void read();
    store.setState((state) => events.reduce((now, { event }) => applyToChats(now, event), state));
  });
  void read();

  return {
    store,
    read,
    open: (current, target) => store.setState({ current, target: target ?? null }),
    create: (options = { private: false }) =>
      attempt(async () => {
        const { chatId } = await host.call("chats.create", options);
        store.setState({ current: chatId, target: null });
      }),
    rename: (chatId, title) => attempt(() => host.call("chats.rename", { chatId, title })),
    pin: (chatId, pinned) => attempt(() => host.call("chats.pin", { chatId, pinned })),
    remove: (chatId) => attempt(() => host.call("chats.delete", { chatId })),
    restore: (chatId) =>
      attempt(async () => {
        await host.call("chats.restore", { chatId });
        store.setState({ current: chatId, target: null });
      }),
  };
}
