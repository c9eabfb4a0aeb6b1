import { beforeEach, expect, test } from "vitest";
import { storedTurn } from "../../../tests/support/stored-turn.ts";
import { createStore, type Store } from "./store.ts";

let store: Store;
beforeEach(() => {
  store = createStore(":memory:");
});

const accept = (id: string, sessionId = "s", createdAt = 1) =>
  store.accept({ id, sessionId, channel: "test", text: `text of ${id}`, createdAt });

test("a message is accepted once, whatever comes with its id the second time", () => {
  accept("a");
  const before = store.inbound("a");
  store.accept({ id: "a", sessionId: "other", channel: "test", text: "else", createdAt: 9 });
  expect(store.inbound("a")).toEqual(before);
  expect(store.sessionsWaiting()).toEqual(["s"]);
  expect(before).toEqual({
    id: "a",
    sessionId: "s",
    channel: "test",
    text: "text of a",
    state: "accepted",
    createdAt: 1,
  });
  expect(store.inbound("none")).toBeUndefined();
});

test("what a person typed comes back byte for byte", () => {
  const text = "a\0b\r\n\tשלום 👨‍👩‍👧‍👦 e\u0301 '\"\\";
  store.accept({ id: "a", sessionId: "s", channel: "test", text, createdAt: 1 });
  expect(store.nextAccepted("s")?.text).toBe(text);
});

test("messages leave the queue in the order they came, even when the clock jumps back", () => {
  accept("b", "s", 500);
  accept("a", "s", 100);
  accept("c", "s", 300);
  const order: (string | undefined)[] = [];
  for (let turn = 0; turn < 3; turn++) {
    const next = store.nextAccepted("s");
    order.push(next?.id);
    store.beginTurn({ id: `t${turn}`, sessionId: "s", inboundId: next?.id ?? "", startedAt: 1 });
  }
  expect(order).toEqual(["b", "a", "c"]);
  expect(store.nextAccepted("s")).toBeUndefined();
});

test("the session that has waited longest is named first, and each once", () => {
  accept("a", "late");
  accept("b", "early");
  accept("c", "late");
  store.beginTurn({ id: "t", sessionId: "late", inboundId: "a", startedAt: 1 });
  expect(store.sessionsWaiting()).toEqual(["early", "late"]);
});

test("what waits in one session becomes drafts, oldest first, and nothing of another", () => {
  for (const id of ["a", "b", "c"]) accept(id);
  accept("d", "other");
  store.beginTurn({ id: "t", sessionId: "s", inboundId: "a", startedAt: 1 });
  expect(store.draftWaiting("s").map(({ id, state }) => [id, state])).toEqual([
    ["b", "draft"],
    ["c", "draft"],
  ]);
  expect(store.draftWaiting("s")).toEqual([]);
  expect(["a", "b", "c", "d"].map((id) => store.inbound(id)?.state)).toEqual(["taken", "draft", "draft", "accepted"]);
});

test("a turn takes a message once, and only one of its own session", () => {
  accept("a");
  accept("b", "other");
  store.beginTurn({ id: "t", sessionId: "s", inboundId: "a", startedAt: 1 });
  expect(() => store.beginTurn({ id: "u", sessionId: "s", inboundId: "a", startedAt: 2 })).toThrow(
    "The message a is taken",
  );
  expect(() => store.beginTurn({ id: "u", sessionId: "s", inboundId: "b", startedAt: 2 })).toThrow("no message b");
  expect(store.turn("u")).toBeUndefined();
  expect(store.inbound("b")?.state).toBe("accepted");
});

test("the end of a turn saves its message", () => {
  storedTurn(store);
  store.endTurn("t", { stopReason: "completed", endedAt: 5 });
  expect(store.inbound("inbound of t")?.state).toBe("saved");
});

test("a session remembers when it was last used and which model it was given", () => {
  accept("a", "s", 10);
  expect(store.openSession("s", 99)).toEqual({ id: "s", title: "text of a", createdAt: 10, updatedAt: 10 });
  accept("b", "s", 20);
  store.setSessionModel("s", "small");
  expect(store.openSession("s", 99)).toMatchObject({ model: "small", createdAt: 10, updatedAt: 20 });
  store.setSessionModel("s", undefined);
  expect(store.openSession("s", 99)).not.toHaveProperty("model");
  expect(() => store.setSessionModel("none", "small")).toThrow(expect.objectContaining({ code: "not-found" }));
});

test("what waits in a chat is its queue and its drafts, in the order they came", () => {
  for (const id of ["a", "b"]) accept(id);
  store.draftWaiting("s");
  accept("c");
  accept("d", "other");
  const waiting = () => store.waiting("s").map(({ id, state }) => `${id} ${state}`);
  expect(waiting()).toEqual(["a draft", "b draft", "c accepted"]);
  expect(store.sendDraft("b")).toMatchObject({ id: "b", state: "accepted" });
  expect(waiting()).toEqual(["a draft", "b accepted", "c accepted"]);
  expect(store.nextAccepted("s")?.id).toBe("b");
  expect(store.dropInbound("a")).toMatchObject({ id: "a", state: "draft", text: "text of a" });
  expect(store.dropInbound("c").state).toBe("accepted");
  expect(waiting()).toEqual(["b accepted"]);
  expect(store.inbound("a")).toBeUndefined();
});

test("only what waits can be sent or dropped, and sending twice is harmless", () => {
  accept("a");
  expect(store.sendDraft("a")).toEqual(store.sendDraft("a"));
  store.beginTurn({ id: "t", sessionId: "s", inboundId: "a", startedAt: 1 });
  for (const change of [store.sendDraft, store.dropInbound]) {
    expect(() => change("a")).toThrow("The message a is taken: a turn has it already.");
    expect(() => change("a")).toThrow(expect.objectContaining({ code: "bad-request" }));
    expect(() => change("none")).toThrow(expect.objectContaining({ code: "not-found" }));
  }
  expect(store.inbound("a")?.state).toBe("taken");
});

test("a draft of a deleted chat is not sent", () => {
  accept("a");
  store.draftWaiting("s");
  store.deleteChat("s", 5);
  expect(() => store.sendDraft("a")).toThrow("The chat s was deleted.");
});
