import { expect, test } from "vitest";
import { anAgent, answers, aTool, modelsOf } from "../../../tests/support/agent.ts";
import { aCrash, nextStart } from "../../../tests/support/crashed-turn.ts";
import { calls, says, scriptedProvider } from "../../../tests/support/scripted-provider.ts";
import { AppError } from "../../shared/errors.ts";
import { createStore } from "../db/store.ts";
import { INTERRUPTED_RESULT } from "./governance.ts";

const look = aTool("look", answers("x".repeat(9_000)));
let place = 0;
const looks = () => calls({ name: "look", input: { path: `${place++}` } });
const tooLong = new AppError("context-overflow", "Too long.");

test("a result that is missing in an old turn is filled in for the model, and what is saved does not shift", async () => {
  const crash = aCrash("find it", { store: createStore(":memory:") });
  crash.asked();
  crash.asks({ name: "a", class: "read", state: "unknown" }, { name: "b", class: "read", state: "finished" });
  crash.store.endTurn("t", { stopReason: "aborted", endedAt: 9 });
  const before = crash.store.page("s", { limit: 100 });
  const agent = anAgent({ store: crash.store, script: [says("Here.")] });
  await agent.say("and now?");
  const results = agent.model.requests[0]?.messages.flatMap(({ role, parts }) => (role === "tool" ? parts : []));
  expect(results).toMatchObject([
    { callId: "a", text: INTERRUPTED_RESULT },
    { callId: "b", text: "b is done" },
  ]);
  const after = crash.store.page("s", { limit: 100 });
  expect(after.slice(0, before.length)).toEqual(before);
  expect(agent.rows().slice(before.length)).toEqual(["user complete: and now?", "assistant complete: Here."]);
});

test("stored rows never change, whatever is shortened and left out for the model", async () => {
  const model = scriptedProvider([looks(), looks(), looks(), says("Seen.")], { info: { window: 8_192 } });
  const agent = anAgent({ tools: [look], model });
  await agent.say("look three times");
  const sent = JSON.stringify(agent.model.requests.at(-1)?.messages);
  expect(sent).toMatch(/more characters were left out to save room/);
  const stored = agent.rows().filter((row) => row.startsWith("tool"));
  expect(stored).toHaveLength(3);
  for (const row of stored) expect(row).toBe(`tool complete: ${"x".repeat(9_000)}`);
});

test("a prompt that the provider finds too long is shortened once, and the person is told so for good", async () => {
  const agent = anAgent({ script: [says("Hello."), [tooLong], says("Short.")] });
  await agent.say("hi");
  const ended = await agent.say("tell me more");
  expect(ended).toMatchObject({ stopReason: "completed", text: "Short." });
  const notices = agent.wholeStore.turnView(ended.turnId)?.notices;
  expect(notices).toEqual([{ code: "context-overflow", text: expect.stringMatching(/^The conversation is too long/) }]);
  expect(agent.states(ended.turnId).filter((state) => state === "run overflow")).toHaveLength(1);
});

test("one that is too long the second time ends with words, and what was typed is kept", async () => {
  const agent = anAgent({ script: [says("Hello."), [tooLong], [tooLong]] });
  await agent.say("hi");
  expect(await agent.say("tell me more")).toMatchObject({ stopReason: "error", error: { code: "context-overflow" } });
  expect(agent.rows().slice(2)).toEqual([
    "user complete: tell me more",
    expect.stringMatching(/^assistant incomplete: !context-overflow/),
  ]);
  expect(agent.model.requests).toHaveLength(3);
});

test("a message longer than the window is refused before it is sent, with the numbers and what to do", async () => {
  const agent = anAgent({ model: scriptedProvider([], { info: { window: 2_048 } }) });
  const { error } = await agent.say("word ".repeat(5_000));
  expect(error).toMatchObject({
    code: "context-overflow",
    message: expect.stringMatching(/about \d+ tokens.*Shorten it/),
  });
  expect(agent.model.requests).toEqual([]);
  expect(agent.rows()[0]).toMatch(/^user complete: word word/);
});

test("the definitions of the tools count: where they leave no room, it is said", async () => {
  const wordy = aTool("look", answers("x"), { description: "word ".repeat(2_000) });
  const agent = anAgent({ tools: [wordy], model: scriptedProvider([], { info: { window: 2_048 } }) });
  expect((await agent.say("hi")).error?.code).toBe("context-overflow");
});

test("a newest result that does not fit by itself is shortened, and the turn is answered", async () => {
  const model = scriptedProvider([looks(), says("Seen.")], { info: { window: 2_048, maxOutputTokens: 256 } });
  const agent = anAgent({ tools: [look], model });
  expect(await agent.say("look")).toMatchObject({ stopReason: "completed", text: "Seen." });
  expect(agent.rows()[2]).toBe(`tool complete: ${"x".repeat(9_000)}`);
});

test("a chat whose tokenizer does not answer is answered all the same", async () => {
  const model = scriptedProvider([says("Hello.")]);
  const failing = { ...model, countTokens: () => Promise.reject(new Error("gone")) };
  const agent = anAgent({
    models: modelsOf(failing),
  });
  expect(await agent.say("hi")).toMatchObject({ stopReason: "completed", text: "Hello." });
});

test("a turn that goes on after a crash reads each row once: those of before, and its own", async () => {
  const store = createStore(":memory:");
  await anAgent({ store, script: [says("an earlier answer")] }).say("an earlier question");
  const crash = aCrash("the question", { store, inboundId: "crashed", turnId: "crashed" });
  crash.asked();
  crash.asks({ name: "found", class: "read", state: "finished" });
  crash.half("the beginning");
  const agent = nextStart(crash, { script: [says(" and the end")] });
  agent.recovery.continueTurn("crashed");
  await agent.loop.idle();
  const sent = JSON.stringify(agent.model.requests[0]?.messages);
  for (const text of ["an earlier question", "an earlier answer", "the question", "found is done", "the beginning"]) {
    expect(sent.split(text)).toHaveLength(2);
  }
});
