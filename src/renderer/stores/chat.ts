import { createStore, type StoreApi } from "zustand/vanilla";
import type { Leaving } from "../../shared/cloud.ts";
import { toAppError } from "../../shared/errors.ts";
import type { Decision } from "../../shared/turn.ts";
import type { Host } from "../lib/host.ts";
import { createFeed, readEarlier } from "./chat-feed.ts";
import { type ChatState, closedChat, withoutEarliest } from "./chat-state.ts";

const DRAFT_MS = 300;

/** What can be asked for resolves to whether it was done; if not, the state's `problem` says why. */
export interface Chat {
  readonly id: string;
  readonly store: StoreApi<ChatState>;
  /** Done: the message is on disk. `replaces`: as a branch beside that turn. */
  send(text: string, replaces?: string): Promise<boolean>;
  stop(): Promise<boolean>;
  /** The answer that waits for its next try does not wait any longer. */
  retryNow(): Promise<boolean>;
  /** Reads the turns before the first one that is shown. */
  readEarlier(): Promise<boolean>;
  /** For one who is at the end of a long conversation: lets go of its beginning, until it is read again. */
  forgetEarliest(): void;
  /** Reads back to this turn, on the branch that has it. */
  readThrough(turnId: string): Promise<void>;
  showVariant(turnId: string): Promise<boolean>;
  /** Kept a moment later; `flush` keeps it now. */
  keepDraft(text: string): void;
  flush(): void;
  sendWaiting(inboundId: string): Promise<boolean>;
  dropWaiting(inboundId: string): Promise<boolean>;
  /** Into the running answer, or after it. */
  setWhen(inboundId: string, when: "now" | "after"): Promise<boolean>;
  /** Goes on with a turn that a crash interrupted. */
  continueTurn(turnId: string): Promise<boolean>;
  /** Leaves it as it is. */
  dismissTurn(turnId: string): Promise<boolean>;
  decideCall(turnId: string, callId: string, decision: Decision): Promise<boolean>;
  changeGoal(action: "pause" | "resume" | "cancel"): Promise<boolean>;
  chooseModel(model: string | null): Promise<boolean>;
  /** What would leave with the next message, were it answered by this preset; null where that cannot be told. */
  leaving(presetId: string): Promise<Leaving | null>;
  /** From now on the chat may be sent over this connection. */
  allow(connectionId: string): Promise<boolean>;
  clearProblem(): void;
  dispose(): void;
}

/** One open conversation: a store that follows the events of its chat, and the few things a person can do to it. */
export function createChat(host: Host, chatId: string, through?: string): Chat {
  const store = createStore<ChatState>(() => closedChat);
  const draft = createDraft(host, chatId);

  /** Does what was asked; false and a problem where it could not be done. */
  async function attempt(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (thrown) {
      store.setState({ problem: toAppError(thrown) });
      return false;
    }
  }

  const feed = createFeed({ host, chatId, store, attempt });
  void feed.read(through);

  function send(text: string, replaces?: string): Promise<boolean> {
    store.setState({ problem: null, isRepaired: false });
    const inboundId = crypto.randomUUID(); // sent again after a lost connection, it is still one message
    const sent = attempt(async () => {
      const { repaired } = await host.call("turns.send", { chatId, inboundId, text, ...(replaces && { replaces }) });
      store.setState({ isRepaired: repaired });
    });
    draft.flush(); // right behind the message: later it would wipe out what another window has typed since
    return sent;
  }

  return {
    id: chatId,
    store,
    send,
    stop: () => attempt(() => host.call("turns.stop", { chatId })),
    retryNow: () => attempt(() => host.call("turns.retryNow", { chatId })),
    readEarlier: () => attempt(() => readEarlier(host, chatId, store)),
    forgetEarliest: () => store.setState(withoutEarliest),
    readThrough: (turnId) => feed.read(turnId),
    showVariant: (turnId) => attempt(() => host.call("turns.show", { turnId })),
    keepDraft: draft.keep,
    flush: draft.flush,
    sendWaiting: (inboundId) => attempt(() => host.call("waiting.send", { inboundId })),
    dropWaiting: (inboundId) => attempt(() => host.call("waiting.drop", { inboundId })),
    setWhen: (inboundId, when) => attempt(() => host.call("waiting.when", { inboundId, when })),
    continueTurn: (turnId) => attempt(() => host.call("turns.continue", { turnId })),
    dismissTurn: (turnId) => attempt(() => host.call("turns.dismiss", { turnId })),
    decideCall: (turnId, callId, decision) => attempt(() => host.call("calls.decide", { turnId, callId, decision })),
    changeGoal: (action) => attempt(() => host.call("goals.change", { chatId, action })),
    chooseModel: (model) =>
      // a chat without a message is not told of by an event
      attempt(async () => store.setState({ chat: await host.call("chats.model", { chatId, model }) })),
    async leaving(presetId) {
      let leaving: Leaving | null = null;
      await attempt(async () => {
        leaving = await host.call("chats.leaving", { chatId, presetId });
      });
      return leaving;
    },
    allow: (connectionId) => attempt(() => host.call("chats.allow", { chatId, connectionId, allowed: true })),
    clearProblem: () => store.setState({ problem: null }),
    dispose() {
      draft.flush();
      feed.unlisten();
    },
  };
}

/** What is typed reaches the disk shortly after the last key, and at once when the page or the chat is left. */
function createDraft(host: Host, chatId: string) {
  let text: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  function flush(): void {
    clearTimeout(timer);
    if (text === undefined) return;
    const kept = text;
    text = undefined;
    host.call("chats.draft", { chatId, text: kept }).catch(() => {
      text ??= kept; // tried again with the next key or when the chat is left
    });
  }
  return {
    keep(typed: string): void {
      text = typed;
      clearTimeout(timer);
      timer = setTimeout(flush, DRAFT_MS);
    },
    flush,
  };
}
