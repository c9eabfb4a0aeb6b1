import { createStore, type StoreApi } from "zustand/vanilla";
import type { Chat } from "../stores/chat.ts";

/** A message has at most so many characters; longer texts become attachments. */
export const MAX_MESSAGE = 200_000;

export interface ComposerState {
  readonly draft: string;
  /** The turn that is asked again in other words. The draft waits meanwhile. */
  readonly editing: string | null;
  readonly edited: string;
  /** On its way, not yet accepted. */
  readonly sending: string | null;
  /** The last text that was put in was too long and was left out. */
  readonly isRefused: boolean;
  /** Grows with everything that wants the cursor in the box. */
  readonly focusWishes: number;
}

export interface Composer {
  readonly store: StoreApi<ComposerState>;
  type(text: string): void;
  /** Says that a text was too long. */
  refuse(): void;
  edit(turnId: string, question: string): void;
  cancelEdit(): void;
  /** Puts a text into the box for the person to go on with. */
  fill(text: string): void;
  /** What had been typed before, unless something is typed already. */
  adopt(draft: string): void;
  /** Empties the box at once; a text that could not be sent comes back. What may not leave yet stays in it. */
  send(): Promise<void>;
  /** Asks a question of the chat again, as a branch. */
  again(turnId: string, question: string): Promise<void>;
  /** Lets a draft go on. */
  sendWaiting(inboundId: string): Promise<void>;
}

/** What the box holds. */
export const textIn = ({ editing, edited, draft }: ComposerState): string => (editing === null ? draft : edited);

/** Does what sends something at once, or once the person has allowed that it leaves this computer. */
export type Before = (go: () => Promise<unknown>) => Promise<unknown>;

/** Slash commands are answered here, whatever the model; a goal is worked at by the model. */
const staysHere = (text: string): boolean => /^\s*[/／](?!goal\b)[a-z]+(\s|$)/i.test(text);

/** The state behind the composer of one conversation. */
export function createComposer(chat: Chat, before: Before = (go) => go()): Composer {
  const store = createStore<ComposerState>(() => ({
    draft: "",
    editing: null,
    edited: "",
    sending: null,
    isRefused: false,
    focusWishes: 0,
  }));
  const wish = () => ({ focusWishes: store.getState().focusWishes + 1 });

  function setDraft(draft: string): void {
    store.setState({ draft, isRefused: false });
    chat.keepDraft(draft);
  }

  function type(text: string): void {
    if (text.length > MAX_MESSAGE) store.setState({ isRefused: true });
    else if (store.getState().editing === null) setDraft(text);
    else store.setState({ edited: text, isRefused: false });
  }

  /** A message that was not taken goes back in front of what was typed since. */
  function giveBack(text: string, editing: string | null): void {
    const state = store.getState();
    if (editing !== null && state.editing === null) store.setState({ editing, edited: text });
    else setDraft(state.draft === "" ? text : `${text}\n${state.draft}`);
    chat.flush();
  }

  const isReady = () => textIn(store.getState()).trim() !== "" && store.getState().sending === null;

  async function send(): Promise<void> {
    if (!isReady()) return;
    await (staysHere(textIn(store.getState())) ? sendNow() : before(sendNow));
  }

  /** What is in the box by now: the person may have gone on writing while they were asked. */
  async function sendNow(): Promise<void> {
    if (!isReady()) return;
    const { editing } = store.getState();
    const text = textIn(store.getState());
    store.setState({ sending: text, editing: null, edited: "" });
    if (editing === null) setDraft("");
    const isDone = await chat.send(text, editing ?? undefined);
    store.setState({ sending: null });
    if (!isDone) giveBack(text, editing);
  }

  return {
    store,
    type,
    send,
    again: async (turnId, question) => void (await before(() => chat.send(question, turnId))),
    sendWaiting: async (inboundId) => void (await before(() => chat.sendWaiting(inboundId))),
    refuse: () => store.setState({ isRefused: true }),
    edit: (turnId, question) => store.setState({ editing: turnId, edited: question, isRefused: false, ...wish() }),
    cancelEdit: () => store.setState({ editing: null, edited: "", isRefused: false, ...wish() }),
    fill(text) {
      type(text);
      store.setState(wish());
    },
    adopt(draft) {
      if (store.getState().draft === "") store.setState({ draft });
    },
  };
}
