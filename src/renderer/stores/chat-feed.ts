import type { StoreApi } from "zustand/vanilla";
import type { NumberedEvent } from "../../shared/stream.ts";
import type { Host } from "../lib/host.ts";
import { applyToChat, type ChatState, fromSnapshot } from "./chat-state.ts";

interface FeedOptions {
  readonly host: Host;
  readonly chatId: string;
  readonly store: StoreApi<ChatState>;
  /** Runs the work; a failure becomes the chat's problem. */
  readonly attempt: (work: () => Promise<unknown>) => Promise<boolean>;
}

/** Keeps a chat's state true: a snapshot, the events after it, and a new snapshot whenever the old one turned stale. */
export function createFeed({ host, chatId, store, attempt }: FeedOptions) {
  /** What came while a snapshot was on its way. */
  let early: NumberedEvent[] | undefined;
  let reading: Promise<void> = Promise.resolve();
  const apply = (state: ChatState, event: NumberedEvent) => applyToChat(state, event, chatId);

  async function readNow(through: string | undefined): Promise<void> {
    early = [];
    const isRead = await attempt(async () => {
      const snapshot = await host.call("chats.open", { chatId, ...(through && { through }) });
      const events = early ?? [];
      store.setState((state) => events.reduce(apply, fromSnapshot(snapshot, state)));
    });
    early = undefined;
    const { status, isStale } = store.getState();
    if (status === "opening") store.setState({ status: "gone" });
    if (isRead && isStale) void read(through); // it changed again while it was read
  }

  /** One reading at a time. `through`: at least back to this turn. */
  function read(through?: string): Promise<void> {
    reading = reading.then(() => readNow(through));
    return reading;
  }

  const unlisten = host.onEvents((events) => {
    if (early) {
      early.push(...events);
      return;
    }
    store.setState((state) => events.reduce(apply, state));
    if (store.getState().isStale) void read();
  });
  return { read, unlisten };
}

/** Puts the turns before the first one that is shown in front of it. */
export async function readEarlier(host: Host, chatId: string, store: StoreApi<ChatState>): Promise<void> {
  const [before] = store.getState().order;
  if (!before || !store.getState().hasEarlier) return;
  const { turns, hasEarlier } = await host.call("chats.earlier", { chatId, before });
  store.setState((state) => {
    if (state.order[0] !== before) return state; // the chat was read again meanwhile
    const known = Object.fromEntries(turns.map((view) => [view.turn.id, view]));
    const order = [...turns.map(({ turn }) => turn.id), ...state.order];
    return { order, turns: { ...known, ...state.turns }, hasEarlier };
  });
}
