import { expect, test } from "vitest";
import { storedTurn } from "../../../tests/support/stored-turn.ts";
import { createStore } from "./store.ts";

test("a chat may leave to a connection only while the person allows it, and only to that one", () => {
  const store = createStore(":memory:");
  expect(store.mayLeave("a", "x")).toBe(false);
  store.allowLeaving("a", "x", true, 1);
  store.allowLeaving("a", "x", true, 2);
  expect([store.mayLeave("a", "x"), store.mayLeave("a", "y"), store.mayLeave("b", "x")]).toEqual([true, false, false]);
  store.allowLeaving("a", "x", false, 3);
  expect(store.mayLeave("a", "x")).toBe(false);
  store.close();
});

test("a connection that is gone leaves no permission behind", () => {
  const store = createStore(":memory:");
  store.allowLeaving("a", "x", true, 1);
  store.allowLeaving("a", "y", true, 1);
  store.forgetConnection("x");
  expect([store.mayLeave("a", "x"), store.mayLeave("a", "y")]).toEqual([false, true]);
  store.close();
});

test("marks are set and taken back, and a marked chat says so in the list", () => {
  const store = createStore(":memory:");
  storedTurn(store);
  store.setMark({ kind: "file", ref: "/home/me/letter.txt" }, true, 1);
  store.setMark({ kind: "chat", ref: "s" }, true, 2);
  expect(store.marks()).toEqual([
    { kind: "file", ref: "/home/me/letter.txt" },
    { kind: "chat", ref: "s" },
  ]);
  expect([store.isMarked("chat", "s"), store.chat("s")?.neverCloud]).toEqual([true, true]);
  store.setMark({ kind: "chat", ref: "s" }, false, 3);
  expect([store.isMarked("chat", "s"), store.chat("s")?.neverCloud]).toEqual([false, false]);
  store.close();
});

test("what a chat was allowed and marked goes with it, and nothing of another", () => {
  const store = createStore(":memory:");
  store.openSession("a", 1);
  store.openSession("b", 1);
  for (const chat of ["a", "b"]) store.allowLeaving(chat, "x", true, 1);
  store.setMark({ kind: "chat", ref: "a" }, true, 1);
  store.deleteChat("a", 2);
  while (store.purgeChats(3).length > 0);
  expect([store.mayLeave("a", "x"), store.isMarked("chat", "a"), store.mayLeave("b", "x")]).toEqual([
    false,
    false,
    true,
  ]);
  store.close();
});
