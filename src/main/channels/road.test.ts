import { expect, test } from "vitest";
import { AppError } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/events.ts";
import { createConversation } from "./conversation.ts";
import { lastingRoad, type Road } from "./road.ts";

const about = { sessionId: "s", turnId: "t" };
const started: TurnEvent = { type: "turn.started", ...about, inboundId: "m" };
const ended: TurnEvent = { type: "turn.ended", ...about, stopReason: "completed", text: "" };

/** A road that a test tells what to say, and when to end. */
function aRoad() {
  const sent: string[] = [];
  const listeners = new Set<Parameters<Road["listen"]>>();
  const road: Road = {
    send: async ({ text }) => {
      sent.push(text);
      return { repaired: false };
    },
    stop: (sessionId) => void sent.push(`stop ${sessionId}`),
    listen(...listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    call: () => Promise.reject(new AppError("not-found", "Nothing is called here.")),
  };
  return {
    road,
    sent,
    tell: (...events: TurnEvent[]) => {
      for (const event of events) for (const [onEvent] of listeners) onEvent(event);
    },
    lose: () => {
      for (const [, onLost] of listeners) onLost?.(new AppError("interrupted", "It has gone."));
    },
  };
}

function aConversation(road: Road) {
  let ids = 0;
  const shown: string[] = [];
  const show = ({ type }: TurnEvent) => void shown.push(type);
  const newId = () => ["m", "n"][ids++] ?? "more";
  return { ...createConversation({ road, sessionId: "s", newId, show }), shown };
}

test("a message that joins an answer which began before anybody listened ends with it", async () => {
  const { road, tell } = aRoad();
  const conversation = aConversation(road);
  const end = conversation.send("and this");
  const row = { role: "user", kind: "chat", origin: "model", status: "complete" } as const;
  const message = { ...about, ...row, id: 1, parts: [], createdAt: 1 };
  tell({ type: "injected", ...about, inboundId: "m", message }, ended);
  expect(await end).toEqual(ended);
  expect(conversation.isBusy()).toBe(false);
});

test("a turn that is followed ends with its own end, and not with another's", async () => {
  const { road, tell } = aRoad();
  const conversation = aConversation(road);
  const end = conversation.follow("t", async () => undefined);
  tell({ ...ended, turnId: "other" }, started, ended);
  expect(await end).toEqual(ended);
});

test("what could not be begun is told, and is not waited for", async () => {
  const conversation = aConversation(aRoad().road);
  const refused = conversation.follow("t", () => Promise.reject(new AppError("bad-request", "First decide.")));
  expect(await refused).toEqual({ error: { code: "bad-request", message: "First decide.", retryable: false } });
  expect(conversation.isBusy()).toBe(false);
});

test("a road that is lost ends what is on its way with words", async () => {
  const { road, tell, lose } = aRoad();
  const conversation = aConversation(road);
  const end = conversation.send("hello");
  tell(started);
  lose();
  expect(await end).toMatchObject({ error: { code: "interrupted", message: "It has gone." } });
  expect(conversation.isBusy()).toBe(false);
});

test("the next message after a loss goes over another road, opened once, and is heard from there", async () => {
  const [first, second] = [aRoad(), aRoad()];
  let opened = 0;
  const road = lastingRoad(first.road, async () => {
    opened += 1;
    return second.road;
  });
  const conversation = aConversation(road);
  first.lose();
  const end = conversation.send("one");
  const other = conversation.send("two");
  await expect.poll(() => second.sent).toEqual(["one", "two"]);
  second.tell(started, ended);
  second.tell({ ...started, turnId: "u", inboundId: "n" }, { ...ended, turnId: "u" });
  expect([await end, await other].map((one) => "turnId" in one && one.turnId)).toEqual(["t", "u"]);
  conversation.stop();
  expect([opened, first.sent, second.sent.at(-1)]).toEqual([1, [], "stop s"]);
});

test("a road that cannot be opened is tried again with the next message", async () => {
  const [first, second] = [aRoad(), aRoad()];
  const roads = [Promise.reject(new AppError("data-busy", "Another one.")), Promise.resolve(second.road)];
  const conversation = aConversation(lastingRoad(first.road, () => roads.shift() ?? Promise.reject()));
  first.lose();
  expect(await conversation.send("one")).toMatchObject({ error: { code: "data-busy" } });
  void conversation.send("two");
  await expect.poll(() => second.sent).toEqual(["two"]);
});
