import { expect, test } from "vitest";
import type { Chat } from "../stores/chat.ts";
import { createComposer, MAX_MESSAGE, textIn } from "./composer.ts";

/** A chat that writes down what it is asked, and takes messages as told. */
function aComposer({ accepts = true } = {}) {
  const sent: (string | undefined)[][] = [];
  const drafts: string[] = [];
  const gate = Promise.withResolvers<boolean>();
  const chat = {
    send: (text: string, replaces?: string) => {
      sent.push([text, replaces]);
      return gate.promise;
    },
    keepDraft: (text: string) => void drafts.push(text),
    flush: () => void drafts.push("(kept now)"),
  } as Partial<Chat> as Chat;
  const composer = createComposer(chat);
  return { composer, sent, drafts, answer: () => gate.resolve(accepts), text: () => textIn(composer.store.getState()) };
}

test("the box is empty at once, and the draft with it", async () => {
  const { composer, sent, drafts, answer, text } = aComposer();
  composer.type("hello");
  const sending = composer.send();
  expect(text()).toBe("");
  expect(composer.store.getState().sending).toBe("hello");
  answer();
  await sending;
  expect(sent).toEqual([["hello", undefined]]);
  expect(drafts).toEqual(["hello", ""]);
  expect(composer.store.getState().sending).toBeNull();
});

test("a message that could not be sent comes back before what was typed since", async () => {
  const { composer, answer, drafts, text } = aComposer({ accepts: false });
  composer.type("hello");
  const sending = composer.send();
  composer.type("and more");
  answer();
  await sending;
  expect(text()).toBe("hello\nand more");
  expect(drafts.slice(-2)).toEqual(["hello\nand more", "(kept now)"]);
});

test("Enter twice sends once", async () => {
  const { composer, sent, answer } = aComposer();
  composer.type("hello");
  const sending = composer.send();
  composer.type("second");
  await composer.send();
  answer();
  await sending;
  expect(sent).toHaveLength(1);
});

test("blank text is not sent", async () => {
  const { composer, sent } = aComposer();
  composer.type(" \n ");
  await composer.send();
  expect(sent).toEqual([]);
});

test("an edited question replaces its turn, and the draft waits for it", async () => {
  const { composer, sent, answer, text } = aComposer();
  composer.type("a thought for later");
  composer.edit("t1", "What is up?");
  composer.type("What is new?");
  answer();
  await composer.send();
  expect(sent).toEqual([["What is new?", "t1"]]);
  expect(text()).toBe("a thought for later");
});

test("an edit that is left changes nothing", () => {
  const { composer, drafts, text } = aComposer();
  composer.type("draft");
  composer.edit("t1", "What is up?");
  composer.cancelEdit();
  expect(text()).toBe("draft");
  expect(drafts).toEqual(["draft"]);
});

test("a text that is too long is refused and what was there stays", () => {
  const { composer, text } = aComposer();
  composer.type("short");
  composer.type("x".repeat(MAX_MESSAGE + 1));
  expect(text()).toBe("short");
  expect(composer.store.getState().isRefused).toBe(true);
  composer.type("short!");
  expect(composer.store.getState().isRefused).toBe(false);
});

test("the stored draft never overwrites what is typed", () => {
  const { composer, text } = aComposer();
  composer.type("new");
  composer.adopt("old");
  expect(text()).toBe("new");
});
