import { createStore, type StoreApi } from "zustand/vanilla";
import { type Leaving, presetIdOf } from "../../shared/cloud.ts";
import type { Assistant } from "../lib/assistant.tsx";
import type { Chat } from "../stores/chat.ts";
import type { Before } from "./composer.ts";

export interface ConsentState {
  /** What would leave with what was asked for last, and has not been done. */
  readonly leaving: Leaving | null;
  /** The person has just kept the chat on this computer. */
  readonly isKept: boolean;
}

export interface Consent {
  readonly store: StoreApi<ConsentState>;
  /** Does it at once where nothing leaves, or where this chat may go there; else the person is asked, and nothing is done yet. */
  readonly before: Before;
  /** The chat may go there from now on: what was asked for is done. */
  allow(): Promise<void>;
  /** Something else than this chat may leave: what was asked for is done, if the chat may go there too. */
  openDoor(): Promise<void>;
  /** A model of this computer answers from now on; what was asked for waits in the box. */
  keepLocal(): Promise<void>;
  /** It was not meant. */
  leave(): void;
}

type Needs = Pick<Assistant, "settings" | "models" | "layout">;

/** Stands between a message and a model beyond this computer: nothing of a chat leaves before the person allows it. */
export function createConsent(chat: Chat, { settings, models, layout }: Needs): Consent {
  const store = createStore<ConsentState>(() => ({ leaving: null, isKept: false }));
  let go: (() => Promise<unknown>) | undefined;

  const isShut = ({ place }: Leaving): boolean =>
    place !== "this-computer" && settings.store.getState().settings.localMode;

  function forget(isKept = false): void {
    go = undefined;
    store.setState({ leaving: null, isKept });
  }

  async function goOn(): Promise<void> {
    const asked = go;
    forget();
    await asked?.();
  }

  async function before(next: () => Promise<unknown>): Promise<unknown> {
    const { model = settings.store.getState().settings.model } = chat.store.getState().chat ?? {};
    const presetId = presetIdOf(model);
    forget();
    if (presetId === undefined) return next();
    const leaving = await chat.leaving(presetId);
    if (!leaving) return; // why is the chat's problem now
    if (leaving.allowed && !leaving.never && !isShut(leaving)) return next();
    go = next;
    store.setState({ leaving, isKept: false });
  }

  /** The default if it is one of this computer, else the first that is here; undefined: there is none. */
  function localModel(): string | null | undefined {
    const byDefault = settings.store.getState().settings.model;
    if (presetIdOf(byDefault) === undefined) return null;
    return models.store.getState().cards.find(({ state }) => state === "here")?.id;
  }

  return {
    store,
    before,
    async allow() {
      const { leaving } = store.getState();
      if (leaving && (await chat.allow(leaving.connectionId))) await goOn();
    },
    async openDoor() {
      await settings.change({ localMode: false });
      const { leaving } = store.getState();
      if (leaving?.allowed && !leaving.never && !isShut(leaving)) await goOn();
    },
    async keepLocal() {
      const model = localModel();
      if (model === undefined) layout.show("models");
      else if (await chat.chooseModel(model)) forget(true);
    },
    leave: () => forget(),
  };
}
