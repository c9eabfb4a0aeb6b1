import { expect, test } from "vitest";
import { createStore } from "zustand/vanilla";
import type { Leaving } from "../../shared/cloud.ts";
import type { Chat } from "../stores/chat.ts";
import { createComposer, textIn } from "./composer.ts";
import { createConsent } from "./consent.ts";

const asLeaving = (change: Partial<Leaving>): Leaving => ({
  ...{ connectionId: "c", name: "Example AI", host: "api.example.com", place: "cloud", messages: 1 },
  ...{ documents: [], images: 0, gaps: 0, allowed: false, never: false, ...change },
});

interface Scene extends Partial<Leaving> {
  readonly model?: string;
  readonly byDefault?: string;
  readonly localMode?: boolean;
  readonly here?: readonly string[];
}

/** A chat with a model, and what main says of it; what was done is written down. */
function aChat({ model = "cloud:p", byDefault, localMode = false, here = ["small"], ...leaving }: Scene = {}) {
  const done: string[] = [];
  let now = asLeaving(leaving);
  const store = createStore(() => ({ chat: { model } }));
  const chat = {
    store,
    send: async (text: string, replaces?: string) => {
      done.push(`send ${text}${replaces ? ` for ${replaces}` : ""}`);
      return true;
    },
    leaving: async () => now,
    async allow(connectionId: string) {
      done.push(`allow ${connectionId}`);
      now = { ...now, allowed: true };
      return true;
    },
    async chooseModel(chosen: string | null) {
      done.push(`model ${chosen}`);
      return true;
    },
    keepDraft: () => undefined,
    flush: () => undefined,
  } as unknown as Chat;
  const settings = {
    store: createStore(() => ({ settings: { localMode, model: byDefault } })),
    async change(change: object) {
      done.push(`settings ${JSON.stringify(change)}`);
      settings.store.setState(({ settings }) => ({ settings: { ...settings, ...change } }));
    },
  };
  const models = { store: createStore(() => ({ cards: here.map((id) => ({ id, state: "here" })) })) };
  const layout = { show: (overlay: string) => void done.push(`show ${overlay}`) };
  type Needs = Parameters<typeof createConsent>[1];
  const consent = createConsent(chat, { settings, models, layout } as unknown as Needs);
  const composer = createComposer(chat, consent.before);
  return { consent, composer, done, text: () => textIn(composer.store.getState()) };
}

const asked = ({ consent }: ReturnType<typeof aChat>) => consent.store.getState().leaving !== null;

test.each<[string, Scene]>([
  ["a model of this computer", { model: "small" }],
  ["a cloud model that the chat may go to", { allowed: true }],
  ["a program on this computer in Local mode", { allowed: true, place: "this-computer", localMode: true }],
])("%s answers without a question", async (_what, scene) => {
  const world = aChat(scene);
  world.composer.type("hello");
  await world.composer.send();
  expect(world.done).toEqual(["send hello"]);
  expect(asked(world)).toBe(false);
});

test.each<[string, Scene]>([
  ["is not allowed yet", {}],
  ["is shut by Local mode", { allowed: true, localMode: true }],
  ["is shut by Local mode on the network too", { allowed: true, place: "local-network", localMode: true }],
  ["is marked", { allowed: true, never: true }],
])("a chat that %s asks, and the message stays in the box", async (_what, scene) => {
  const world = aChat(scene);
  world.composer.type("hello");
  await world.composer.send();
  expect(world.done).toEqual([]);
  expect(asked(world)).toBe(true);
  expect(world.text()).toBe("hello");
});

test("allowed, what is in the box by then is sent, once", async () => {
  const world = aChat();
  world.composer.type("hello");
  await world.composer.send();
  world.composer.type("hello there");
  await world.consent.allow();
  await world.consent.allow();
  expect(world.done).toEqual(["allow c", "send hello there"]);
  expect(world.text()).toBe("");
});

test("a question that is asked again waits for the word too, and keeps its place", async () => {
  const world = aChat();
  await world.composer.again("t1", "What is up?");
  expect(world.done).toEqual([]);
  await world.consent.allow();
  expect(world.done).toEqual(["allow c", "send What is up? for t1"]);
});

test("Local mode off is not the word for this chat: an allowed one goes on, another one is still asked for", async () => {
  const allowed = aChat({ allowed: true, localMode: true });
  allowed.composer.type("hello");
  await allowed.composer.send();
  await allowed.consent.openDoor();
  expect(allowed.done).toEqual(['settings {"localMode":false}', "send hello"]);
  const other = aChat({ localMode: true });
  other.composer.type("hello");
  await other.composer.send();
  await other.consent.openDoor();
  expect(other.done).toEqual(['settings {"localMode":false}']);
  expect(asked(other)).toBe(true);
});

test("kept local, nothing is sent, and a model that is here answers from then on", async () => {
  const byDefault = aChat();
  byDefault.composer.type("hello");
  await byDefault.composer.send();
  await byDefault.consent.keepLocal();
  expect(byDefault.done).toEqual(["model null"]);
  expect(byDefault.text()).toBe("hello");
  const cloudByDefault = aChat({ byDefault: "cloud:p" });
  await cloudByDefault.consent.keepLocal();
  expect(cloudByDefault.done).toEqual(["model small"]);
  const none = aChat({ byDefault: "cloud:p", here: [] });
  await none.consent.keepLocal();
  expect(none.done).toEqual(["show models"]);
});

test("a slash command is answered here and asks nothing; a goal is the model's", async () => {
  const world = aChat();
  world.composer.type("/help");
  await world.composer.send();
  world.composer.type("/goal move out");
  await world.composer.send();
  expect(world.done).toEqual(["send /help"]);
  expect(asked(world)).toBe(true);
});
