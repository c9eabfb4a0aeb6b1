import { expect, test } from "vitest";
import type { StreamEvent } from "../../shared/stream.ts";
import type { Inbound } from "../../shared/turn.ts";
import { startedView } from "../../shared/turn-view.ts";
import type { ChatSnapshot } from "../../shared/views.ts";
import { applyToChat, closedChat, fromSnapshot, isBusy, undecidedTurn, withoutEarliest } from "./chat-state.ts";

const anInbound = (id: string, rest: Partial<Inbound> = {}): Inbound => ({
  id,
  sessionId: "s",
  channel: "window",
  text: `text of ${id}`,
  state: "accepted",
  createdAt: 1,
  ...rest,
});
const aView = (turnId: string, variants = [turnId]) => {
  const view = startedView(anInbound(`m-${turnId}`), { turnId, startedAt: 1 });
  return { ...view, variants, turn: { ...view.turn, state: "done" as const, stopReason: "completed" as const } };
};
const snapshot = (turns: ChatSnapshot["turns"], at = 10): ChatSnapshot => ({
  chat: {
    id: "s",
    title: "T",
    pinned: false,
    neverCloud: false,
    private: false,
    createdAt: 1,
    updatedAt: 1,
    state: "idle",
  },
  turns,
  hasEarlier: false,
  waiting: [],
  draft: "half a",
  at,
});
const opened = (...turnIds: string[]) => fromSnapshot(snapshot(turnIds.map((id) => aView(id))), closedChat);
const after = (state: typeof closedChat, ...events: StreamEvent[]) =>
  events.reduce((now, event, index) => applyToChat(now, { n: 11 + index, event }, "s"), state);
const started = (turnId: string, inboundId: string): StreamEvent => ({
  type: "turn.started",
  sessionId: "s",
  turnId,
  inboundId,
});

test("what the snapshot has already is passed over", () => {
  const delta: StreamEvent = { type: "delta", sessionId: "s", turnId: "t1", messageId: 1, text: "twice" };
  const state = applyToChat(opened("t1"), { n: 10, event: delta }, "s");
  expect(state.turns.t1?.rows).toEqual([]);
});

test("an accepted message waits, and its turn takes it out of the queue to the end", () => {
  const waiting = after(opened("t1"), { type: "accepted", inbound: anInbound("m2") });
  expect([waiting.waiting.length, isBusy(waiting)]).toEqual([1, true]);
  const running = after(waiting, { type: "accepted", inbound: anInbound("m2") }, started("t2", "m2"));
  expect(running.order).toEqual(["t1", "t2"]);
  expect(running.waiting).toEqual([]);
  expect(running.turns.t2?.inbound.text).toBe("text of m2");
});

test("a turn that asks another one again takes its place, and what followed is hidden", () => {
  const state = after(
    opened("t1", "t2", "t3"),
    { type: "accepted", inbound: anInbound("m4", { replaces: "t2" }) },
    started("t4", "m4"),
  );
  expect(state.order).toEqual(["t1", "t4"]);
  expect(state.turns.t4?.variants).toEqual(["t2", "t4"]);
});

test("what the store says at the end stands in place of what was streamed", () => {
  const state = after(
    opened("t1"),
    { type: "delta", sessionId: "s", turnId: "t1", messageId: 1, text: "streamed" },
    { type: "turn.stored", view: aView("t1") },
  );
  expect(state.turns.t1?.rows).toEqual([]);
});

test("what waits behind a turn that is to be decided does not make the chat busy; going on takes the end back", () => {
  const view = aView("t1");
  const cut = { ...view, turn: { ...view.turn, stopReason: "interrupted", recovery: "interrupted" } } as const;
  const state = fromSnapshot({ ...snapshot([cut]), waiting: [anInbound("m2")] }, closedChat);
  expect([undecidedTurn(state)?.turn.id, isBusy(state)]).toEqual(["t1", false]);
  const going = after(state, { ...started("t1", "m-t1"), continued: true } as StreamEvent);
  expect([undecidedTurn(going), isBusy(going), going.order]).toEqual([undefined, true, ["t1"]]);
  expect(going.turns.t1?.turn.stopReason).toBeUndefined();
});

test("a goal is what was told of it last, in a turn or beside it", () => {
  const spent = { iterations: 1, tokens: 10, minutes: 0 };
  const goal = {
    sessionId: "s",
    text: "Tidy",
    state: "active",
    budget: spent,
    spent,
    createdAt: 1,
    updatedAt: 1,
  } as const;
  const active = after(opened("t1"), { type: "goal", sessionId: "s", turnId: "t1", goal });
  expect(active.goal?.state).toBe("active");
  const later = applyToChat(
    active,
    { n: 99, event: { type: "chat.goal", chatId: "s", goal: { ...goal, state: "paused" } } },
    "s",
  );
  expect(later.goal?.state).toBe("paused");
  expect(fromSnapshot(snapshot([]), later).goal).toBeNull();
});

test("events of other chats change nothing", () => {
  const state = opened("t1");
  const elsewhere = { type: "delta", sessionId: "other", turnId: "t1", messageId: 1, text: "x" } as const;
  expect(after(state, elsewhere)).toEqual(state);
});

test("of a long conversation the beginning is let go, and of a short one nothing", () => {
  const ids = Array.from({ length: 201 }, (_, at) => `t${at}`);
  const long = withoutEarliest(opened(...ids));
  expect([long.order.length, long.order[0], Object.keys(long.turns).length, long.hasEarlier]).toEqual([
    100,
    "t101",
    100,
    true,
  ]);
  expect(long.order.at(-1)).toBe("t200");
  expect(withoutEarliest(long)).toBe(long);
});

test.each([{ type: "reset" }, { type: "chat.stale", chatId: "s" }] as const)(
  "$type makes the chat stale, and reading it anew mends that",
  (event) => {
    const stale = after(opened("t1"), event);
    expect(stale.isStale).toBe(true);
    expect(fromSnapshot(snapshot([aView("t9")], 40), stale)).toMatchObject({ isStale: false, order: ["t9"], at: 40 });
  },
);
