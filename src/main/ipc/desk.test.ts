import { expect, test } from "vitest";
import { aDesk, aGate, answerOf } from "../../../tests/support/desk.ts";
import { aPage, folded } from "../../../tests/support/page.ts";
import { calls, type ScriptStep, says } from "../../../tests/support/scripted-provider.ts";
import type { TurnView } from "../../shared/views.ts";

test("a message makes the chat, is answered, and is there when the chat is opened again", async () => {
  const { page } = await aDesk([says("Good day.")]);
  const { chatId } = await page.call("chats.create", { private: false });
  expect((await page.call("chats.open", { chatId })).turns).toEqual([]);

  const view = await page.say(chatId, "Hello there");

  expect(answerOf(view)).toBe("Good day.");
  const snapshot = await page.call("chats.open", { chatId });
  expect(snapshot.turns).toEqual([view]);
  expect(snapshot.chat).toMatchObject({ id: chatId, title: "Hello there", state: "idle", private: false });
  expect((await page.call("chats.list", {})).chats).toEqual([snapshot.chat]);
});

test("what is told comes in the order of things: accepted, started, stored, and the chat at rest", async () => {
  const { page } = await aDesk([says("Good day.")]);
  await page.say("c1", "Hello");
  const types = page.told
    .map(({ event }) => event.type)
    .filter((type) => type !== "state" && type !== "request" && type !== "checkpoint");
  expect(types).toEqual(["accepted", "chat", "turn.started", "chat", "delta", "turn.ended", "turn.stored", "chat"]);
  const chats = page.told.flatMap(({ event }) => (event.type === "chat" ? [event.chat.state] : []));
  expect(chats).toEqual(["idle", "running", "idle"]);
  const numbers = page.told.map(({ n }) => n);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
});

/** Thoughts, words, calls and words again. */
const lively: ReadonlyArray<readonly ScriptStep[]> = [
  [
    { type: "reasoning", text: "Let me " },
    { type: "reasoning", text: "look." },
    { type: "text", text: "One " },
    { type: "text", text: "moment. " },
    ...calls({ name: "list_files", input: { path: "." } }, { name: "no_such_tool", input: {} }),
  ],
  [
    { type: "progress", phase: "reading", done: 5, total: 10 },
    ...Array.from({ length: 12 }, (_, at): ScriptStep => ({ type: "text", text: `word ${at} ` })),
    {
      type: "usage",
      usage: { inputTokens: 9, reusedTokens: 3, outputTokens: 12, firstTokenMs: 4, decodeMs: 5 },
    },
    { type: "finish", reason: "stop" },
  ],
];

/** What the bus tells of a lively turn, and the moment before. */
const EVENTS = 35;

/** What a page shows of a turn while it runs, as far as the store has the same. */
const shown = ({ turn, trace, requests, calls, rows }: TurnView) => ({
  state: turn.state,
  stopReason: turn.stopReason,
  usage: turn.usage,
  trace,
  requests,
  calls: calls.map(({ id, name, state, summary }) => ({ id, name, state, summary })),
  rows: rows
    .filter(({ role }) => role === "assistant")
    .map(({ id, parts }) => ({ id, parts: parts.filter(({ type }) => type !== "tool-call") })),
});

test("opened at 50 random moments of a turn, snapshot and later events are what the store has at the end", async () => {
  let agreed = 0;
  const { app, page } = await aDesk(Array.from({ length: 50 }, () => lively).flat());
  for (let round = 0; round < 50; round++) {
    const chatId = `c${round}`;
    const moment = Math.floor(Math.random() * EVENTS);
    let events = 0;
    const look = () => (events++ === moment ? page.call("chats.open", { chatId }) : undefined);
    let opening = look();
    const unlisten = app.bus.listen(() => {
      opening ??= look();
    });
    const stored = await page.say(chatId, "Look around");
    unlisten();
    const snapshot = await opening;
    const view = snapshot && folded(snapshot, page.told).get(stored.turn.id);
    expect(view && shown(view), `opened at event ${moment}`).toEqual(shown(stored));
    agreed++;
  }
  expect(agreed).toBe(50);
});

test("two pages agree, also when one of them came in the middle", async () => {
  const gate = aGate();
  const { app, page } = await aDesk([[{ type: "text", text: "half " }, gate.step, ...says("whole")]]);
  const before = await page.call("chats.open", { chatId: "c1" });
  const saying = page.say("c1", "Hello");
  await gate.reached;
  const second = aPage(app.desk);
  const between = await second.call("chats.open", { chatId: "c1" });
  expect(between.chat.state).toBe("running");
  expect(between.turns.map(answerOf)).toEqual(["half "]);
  gate.open();

  const stored = await saying;
  await second.heard("turn.stored");
  const views = [folded(before, page.told), folded(between, second.told)].map((all) => all.get(stored.turn.id));
  for (const view of views) expect(view && shown(view)).toEqual(shown(stored));
});

test("asked again, a turn has two variants; each can be shown, and the model reads only what is shown", async () => {
  const { page, model } = await aDesk([says("one"), says("two"), says("other two"), says("three"), says("four")]);
  const first = await page.say("c1", "first question");
  const second = await page.say("c1", "second question");
  const again = await page.say("c1", "second question, in other words", { replaces: second.turn.id });

  expect(again.variants).toEqual([second.turn.id, again.turn.id]);
  await page.heard("chat.stale");
  const branch = await page.call("chats.open", { chatId: "c1" });
  expect(branch.turns.map(({ turn }) => turn.id)).toEqual([first.turn.id, again.turn.id]);
  const promptOf = (request: number) => JSON.stringify(model.requests[request]?.messages);
  expect(promptOf(2)).toContain("first question");
  expect(promptOf(2)).not.toContain('"second question"');

  await page.say("c1", "third question");
  expect(promptOf(3)).toContain("other two");
  expect(promptOf(3)).not.toContain('"two"');

  await page.call("turns.show", { turnId: second.turn.id });
  const back = await page.call("chats.open", { chatId: "c1" });
  expect(back.turns.map(answerOf)).toEqual(["one", "two"]);
  await page.say("c1", "fourth question");
  expect(promptOf(4)).toContain('"two"');
  expect(promptOf(4)).not.toContain("in other words");
  expect(promptOf(4)).not.toContain("third question");
});

test("no branch is changed under a turn that runs", async () => {
  const gate = aGate();
  const { page } = await aDesk([says("one"), [gate.step, ...says("two")]]);
  const first = await page.say("c1", "first");
  const saying = page.say("c1", "second");
  await gate.reached;
  await expect(page.call("turns.show", { turnId: first.turn.id })).rejects.toMatchObject({ code: "bad-request" });
  gate.open();
  await saying;
  await page.call("turns.show", { turnId: first.turn.id });
});

test("a hit on another branch brings that branch to the front", async () => {
  const { page } = await aDesk([says("albatross"), says("buzzard")]);
  const first = await page.say("c1", "a bird");
  await page.say("c1", "another bird", { replaces: first.turn.id });
  const { hits } = await page.call("chats.search", { query: "albatross", limit: 10 });
  expect(hits).toMatchObject([{ chatId: "c1", turnId: first.turn.id }]);
  const { turns } = await page.call("chats.open", { chatId: "c1", through: first.turn.id });
  expect(turns.map(answerOf)).toEqual(["albatross"]);
});

test("a long chat comes in pages", async () => {
  const { page } = await aDesk(Array.from({ length: 45 }, (_, at) => says(`answer ${at}`)));
  const ids: string[] = [];
  for (let at = 0; at < 45; at++) ids.push((await page.say("c1", `question ${at}`)).turn.id);
  const idsOf = ({ turns }: { turns: readonly TurnView[] }) => turns.map(({ turn }) => turn.id);

  const newest = await page.call("chats.open", { chatId: "c1" });
  expect(idsOf(newest)).toEqual(ids.slice(-40));
  expect(newest.hasEarlier).toBe(true);
  const earlier = await page.call("chats.earlier", { chatId: "c1", before: ids[5]! });
  expect(idsOf(earlier)).toEqual(ids.slice(0, 5));
  expect(earlier.hasEarlier).toBe(false);
  const through = await page.call("chats.open", { chatId: "c1", through: ids[2]! });
  expect(idsOf(through)).toEqual(ids.slice(2));
  expect(through.hasEarlier).toBe(true);
});

test("exactly what the model was given can be read again, request by request", async () => {
  const { page, model } = await aDesk(lively);
  const view = await page.say("c1", "Look around");
  expect(view.requests.map(({ number, finish }) => [number, finish])).toEqual([
    [1, "tool_calls"],
    [2, "stop"],
  ]);
  for (const number of [1, 2]) {
    const { sent } = await page.call("turns.sent", { turnId: view.turn.id, number });
    expect(sent).toBe(JSON.stringify(model.requests[number - 1]));
  }
  expect(await page.call("turns.sent", { turnId: view.turn.id, number: 3 })).toEqual({ sent: null });
  await expect(page.call("turns.sent", { turnId: "none", number: 1 })).rejects.toMatchObject({ code: "not-found" });
});

test("a message sent twice under one id is one message, and an id of another chat is refused", async () => {
  const { page } = await aDesk([says("once"), says("again")]);
  await page.say("c1", "Hello");
  const inboundId = "said-1-c1";
  expect(await page.call("turns.send", { chatId: "c1", inboundId, text: "Hello" })).toEqual({
    inboundId,
    repaired: false,
  });
  const elsewhere = page.call("turns.send", { chatId: "c2", inboundId, text: "Hello" });
  await expect(elsewhere).rejects.toMatchObject({ code: "bad-request" });
  const replaces = page.call("turns.send", { chatId: "c1", inboundId: "m2", text: "Hello", replaces: "none" });
  await expect(replaces).rejects.toMatchObject({ code: "not-found" });
  const blank = page.call("turns.send", { chatId: "c1", inboundId: "m3", text: " \n" });
  await expect(blank).rejects.toMatchObject({ code: "blank-message" });
  await page.say("c1", "Hello again");
  expect((await page.call("chats.open", { chatId: "c1" })).turns).toHaveLength(2);
  expect(page.told.filter(({ event }) => event.type === "accepted")).toHaveLength(2);
});

test("a page that is closed hears no more", async () => {
  const { app, page } = await aDesk([says("one")]);
  const closed = aPage(app.desk);
  closed.close();
  await page.say("c1", "Hello");
  expect(closed.told).toEqual([]);
});

test("what is asked in another channel is seen in every page", async () => {
  const { app, page } = await aDesk([says("one")]);
  app.bus.ask({ id: "m1", channel: "terminal", sessionId: "c1", text: "Hello" });
  expect((await page.heard("accepted")).inbound).toMatchObject({ channel: "terminal", text: "Hello" });
  expect(answerOf((await page.heard("turn.stored")).view)).toBe("one");
});

test("/stop typed as a message does what the button does, and pages hear what became of the queue", async () => {
  const gate = aGate();
  const { page } = await aDesk([[{ type: "text", text: "half" }, gate.step]]);
  const saying = page.say("c1", "first");
  await gate.reached;
  await page.call("turns.send", { chatId: "c1", inboundId: "m2", text: "second" });
  const command = await page.say("c1", "/stop");
  expect(command.turn.stopReason).toBe("command");
  expect((await saying).turn.stopReason).toBe("aborted");
  await page.heard("waiting", ({ waiting }) => waiting.length === 1 && waiting[0]?.state === "draft");
});
