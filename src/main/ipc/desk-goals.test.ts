import { expect, test } from "vitest";
import { aDesk } from "../../../tests/support/desk.ts";
import { aPage } from "../../../tests/support/page.ts";
import { calls, says } from "../../../tests/support/scripted-provider.ts";

const asks = calls({ name: "ask_user", input: { question: "Which?" } });
const finishes = calls({ name: "finish_goal", input: { state: "completed", note: "tidied" } });

test("a goal is seen in every page, rests with a question, and resumed goes on by a message of its own", async () => {
  const { app, page } = await aDesk([asks, finishes, says("Done.")]);
  const other = aPage(app.desk);
  await page.say("c1", "/goal tidy up");
  expect((await page.call("chats.open", { chatId: "c1" })).goal).toMatchObject({
    state: "paused",
    reason: "asked-user",
  });
  await page.call("goals.change", { chatId: "c1", action: "resume" });
  const { goal } = await other.heard("goal", ({ goal }) => goal.state === "completed");
  expect(goal).toMatchObject({ text: "tidy up", note: "tidied" });
  const { view } = await page.heard("turn.stored", ({ view }) => view.inbound.text === "/goal resume");
  expect(view.turn.stopReason).toBe("completed");
});

test("a goal can be paused and cancelled, every page hears of it, and it is stored", async () => {
  const { app, page } = await aDesk([asks]);
  const other = aPage(app.desk);
  await page.say("c1", "/goal tidy up");
  for (const [action, state] of [
    ["pause", "paused"],
    ["cancel", "cancelled"],
  ] as const) {
    await page.call("goals.change", { chatId: "c1", action });
    await other.heard("chat.goal", ({ goal }) => goal.state === state && goal.reason === "person");
    expect((await page.call("chats.open", { chatId: "c1" })).goal).toMatchObject({ state, reason: "person" });
  }
});

test("where there is no goal it is said so", async () => {
  const { page } = await aDesk([says("Hello.")]);
  await page.say("c1", "hi");
  await expect(page.call("goals.change", { chatId: "c1", action: "pause" })).rejects.toMatchObject({
    code: "not-found",
  });
});
