import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { aCrash } from "../../../tests/support/crashed-turn.ts";
import { answerOf } from "../../../tests/support/desk.ts";
import { anApp, aPage } from "../../../tests/support/page.ts";
import { says, scriptedProvider } from "../../../tests/support/scripted-provider.ts";
import { temporaryFolder } from "../../../tests/support/stored-turn.ts";
import { createStore } from "../db/store.ts";

/** The app at its next start over what a crash left, and two pages of it. */
async function afterCrash(leave: (crash: ReturnType<typeof aCrash>) => void) {
  const folder = temporaryFolder();
  const store = createStore(join(folder, "lares.db"));
  const crash = aCrash("Tell me a story", { store });
  crash.asked();
  leave(crash);
  store.close();
  const model = scriptedProvider([], { afterwards: says(" there was a lamp.") });
  const app = await anApp(model, folder);
  onTestFinished(() => app.close());
  return { app, model, page: aPage(app.desk), other: aPage(app.desk) };
}

const half = ({ half }: ReturnType<typeof aCrash>) => void half("Once upon a time");
const sending = ({ asks }: ReturnType<typeof aCrash>) => asks({ name: "send", class: "once", state: "running" });
const refusal = (code: string) => expect.objectContaining({ code });

test("what was interrupted is at its place in the chat, and goes on in every page with the same words", async () => {
  const { page, other, app } = await afterCrash(half);
  const before = await page.call("chats.open", { chatId: "s" });
  expect(before.turns).toMatchObject([{ turn: { recovery: "interrupted" }, rows: [{}, { status: "streaming" }] }]);
  expect(before.turns.map(answerOf)).toEqual(["Once upon a time"]);

  await page.call("turns.continue", { turnId: "t" });
  for (const one of [page, other]) {
    expect(await one.heard("turn.started")).toMatchObject({ turnId: "t", continued: true });
    const { view } = await one.heard("turn.stored", ({ view }) => view.turn.endedAt !== undefined);
    expect(answerOf(view)).toBe("Once upon a time there was a lamp.");
    expect(view.rows.map(({ id }) => id)).toEqual(before.turns[0]?.rows.map(({ id }) => id));
    expect(view.turn).not.toHaveProperty("recovery");
  }
  expect((await page.call("chats.open", { chatId: "s" })).turns).toHaveLength(1);
  expect(app.store.check()).toEqual([]);
});

test("a page that is opened while it goes on has the beginning of the answer too", async () => {
  const { app, page } = await afterCrash(half);
  const seen = Promise.withResolvers<string[]>();
  const unlisten = app.bus.listen((event) => {
    if (event.type !== "delta") return;
    unlisten();
    const opened = aPage(app.desk).call("chats.open", { chatId: "s" });
    opened.then(({ turns }) => seen.resolve(turns.map(answerOf)), seen.reject);
  });
  await page.call("turns.continue", { turnId: "t" });
  expect(await seen.promise).toEqual(["Once upon a time there was a lamp."]);
});

test("dismissed on one page, its card is gone on the other, and nothing of it is lost", async () => {
  const { page, other, model } = await afterCrash(half);
  await page.call("turns.dismiss", { turnId: "t" });
  const { view } = await other.heard("turn.stored");
  expect(view.turn).toMatchObject({ stopReason: "interrupted" });
  expect(view.turn).not.toHaveProperty("recovery");
  expect(view.rows.map(({ status }) => status)).toEqual(["complete", "incomplete"]);
  expect(answerOf(view)).toBe("Once upon a time");
  expect(model.requests).toHaveLength(0);
  for (const call of ["turns.dismiss", "turns.continue"] as const) {
    await expect(other.call(call, { turnId: "t" })).rejects.toEqual(refusal("bad-request"));
  }
});

test("of two pages that decide at once the first one decides, and nothing happens twice", async () => {
  const { app, page, other, model } = await afterCrash(sending);
  await expect(page.call("turns.continue", { turnId: "t" })).rejects.toEqual(refusal("bad-request"));
  const about = { turnId: "t", callId: "send" };
  const results = await Promise.allSettled([
    page.call("calls.decide", { ...about, decision: "happened" }),
    other.call("calls.decide", { ...about, decision: "again" }),
  ]);
  expect(results).toMatchObject([{ status: "fulfilled" }, { status: "rejected", reason: { code: "bad-request" } }]);
  const { view } = await other.heard("turn.stored", ({ view }) => view.turn.stopReason === "completed");
  expect(view.calls).toMatchObject([{ id: "send", state: "finished", summary: "it happened, says the user" }]);
  expect(model.requests).toHaveLength(1);
  expect(app.store.check()).toEqual([]);
});

test("what is not there is not found, whatever is to be decided about it", async () => {
  const { page } = await afterCrash(sending);
  await expect(page.call("turns.continue", { turnId: "none" })).rejects.toEqual(refusal("not-found"));
  await expect(page.call("turns.dismiss", { turnId: "none" })).rejects.toEqual(refusal("not-found"));
  const about = { turnId: "t", callId: "none", decision: "again" } as const;
  await expect(page.call("calls.decide", about)).rejects.toEqual(refusal("not-found"));
});

test("a newer message leaves it as it is, and every page sees that", async () => {
  const { page, other } = await afterCrash(sending);
  await page.say("s", "Never mind");
  const { view } = await other.heard("turn.stored", ({ view }) => view.turn.id === "t");
  expect(view.turn).not.toHaveProperty("recovery");
  expect(view.calls).toMatchObject([{ id: "send", state: "unknown" }]);
  const { turns } = await other.call("chats.open", { chatId: "s" });
  expect(turns.map(answerOf)).toEqual(["", " there was a lamp."]);
});

test("a chat that waits for a decision can be deleted, brought back, and removed for good", async () => {
  const { app, page } = await afterCrash(half);
  await page.call("chats.delete", { chatId: "s" });
  expect(app.store.recoveries()).toEqual([]);
  await expect(page.call("turns.continue", { turnId: "t" })).rejects.toEqual(refusal("bad-request"));

  await page.call("chats.restore", { chatId: "s" });
  expect((await page.call("chats.open", { chatId: "s" })).turns.map(answerOf)).toEqual(["Once upon a time"]);

  await page.call("chats.delete", { chatId: "s" });
  while (app.store.purgeChats(Date.now() + 1).length > 0);
  expect([app.store.turn("t"), app.store.check()]).toEqual([undefined, []]);
});
