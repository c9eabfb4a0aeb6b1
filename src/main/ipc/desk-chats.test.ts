import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aDesk, aGate, answerOf } from "../../../tests/support/desk.ts";
import { anApp, aPage } from "../../../tests/support/page.ts";
import { says, scriptedProvider } from "../../../tests/support/scripted-provider.ts";

test("a chat is renamed and pinned, and every page hears of it", async () => {
  const { app, page } = await aDesk([says("one")]);
  const other = aPage(app.desk);
  await page.say("c1", "Hello");
  expect(await page.call("chats.rename", { chatId: "c1", title: "  Birds " })).toMatchObject({ title: "Birds" });
  expect(await page.call("chats.pin", { chatId: "c1", pinned: true })).toMatchObject({ pinned: true });
  await other.heard("chat", ({ chat }) => chat.title === "Birds" && chat.pinned);
  await expect(page.call("chats.rename", { chatId: "none", title: "x" })).rejects.toMatchObject({ code: "not-found" });
});

test("a chat is deleted while it runs: the turn is stopped first, and all of it comes back with an undo", async () => {
  const gate = aGate();
  const { app, page } = await aDesk([[{ type: "text", text: "half" }, gate.step]]);
  const saying = page.say("c1", "Hello");
  await gate.reached;
  await page.call("turns.send", { chatId: "c1", inboundId: "m2", text: "waiting" });

  const deleting = page.call("chats.delete", { chatId: "c1" });
  await expect(page.call("turns.send", { chatId: "c1", inboundId: "m3", text: "late" })).rejects.toMatchObject({
    code: "not-found",
  });
  await deleting;
  expect(app.store.unfinishedTurns()).toEqual([]);

  expect((await saying).turn.stopReason).toBe("aborted");
  await page.heard("chat.removed");
  expect((await page.call("chats.list", {})).chats).toEqual([]);
  await expect(page.call("chats.open", { chatId: "c1" })).rejects.toMatchObject({ code: "not-found" });

  expect(await page.call("chats.restore", { chatId: "c1" })).toMatchObject({ id: "c1", title: "Hello" });
  const { turns, waiting } = await page.call("chats.open", { chatId: "c1" });
  expect(turns.map(answerOf)).toEqual(["half"]);
  expect(waiting).toMatchObject([{ id: "m2", state: "draft" }]);
});

test("a deleted chat is gone for good after the next start", async () => {
  const app = await anApp(scriptedProvider([says("one"), says("two")]));
  const page = aPage(app.desk);
  await page.say("c1", "Hello");
  await page.say("c2", "Hello");
  await page.call("chats.delete", { chatId: "c1" });
  await app.close();

  const next = await anApp(scriptedProvider([]), app.dataFolder);
  try {
    await expect.poll(() => next.store.turnMessages("t").length + (next.store.lastTurn("c1") ? 1 : 0)).toBe(0);
    expect((await aPage(next.desk).call("chats.list", {})).chats).toMatchObject([{ id: "c2" }]);
  } finally {
    await next.close();
  }
});

test("a draft is kept for each chat, also for one that is not there yet", async () => {
  const { page } = await aDesk([says("one")]);
  await page.call("chats.draft", { chatId: "c1", text: "half a thou" });
  await page.call("chats.draft", { chatId: "private-1", text: "secret thou" });
  expect(await page.call("chats.open", { chatId: "c1" })).toMatchObject({ draft: "half a thou", turns: [] });
  expect((await page.call("chats.open", { chatId: "private-1" })).draft).toBe("secret thou");
  expect((await page.call("chats.list", {})).chats).toEqual([]);
  await page.call("chats.draft", { chatId: "c1", text: "" });
  expect((await page.call("chats.open", { chatId: "c1" })).draft).toBe("");
});

test("a stop keeps what was written and turns what waits into drafts, to be sent or dropped", async () => {
  const gate = aGate();
  const { page } = await aDesk([[{ type: "text", text: "half" }, gate.step], says("second answer")]);
  const saying = page.say("c1", "first");
  await gate.reached;
  for (const id of ["m2", "m3"]) await page.call("turns.send", { chatId: "c1", inboundId: id, text: id });
  await page.heard("waiting", ({ waiting }) => waiting.map(({ id }) => id).join() === "m2,m3");

  expect(await page.call("turns.stop", { chatId: "c1" })).toEqual({ stopped: true, drafts: 2 });
  gate.open();
  const stopped = await saying;
  expect([stopped.turn.stopReason, answerOf(stopped)]).toEqual(["aborted", "half"]);
  await page.heard("waiting", ({ waiting }) => waiting.every(({ state }) => state === "draft"));

  await page.call("waiting.drop", { inboundId: "m2" });
  await page.heard("waiting", ({ waiting }) => waiting.map(({ id }) => id).join() === "m3");
  await page.call("waiting.send", { inboundId: "m3" });
  await page.heard("waiting", ({ waiting }) => waiting.length === 0);
  const sent = await page.heard("turn.stored", ({ view }) => view.inbound.id === "m3");
  expect(answerOf(sent.view)).toBe("second answer");
  await expect(page.call("waiting.send", { inboundId: "none" })).rejects.toMatchObject({ code: "not-found" });
  expect(await page.call("turns.stop", { chatId: "c1" })).toEqual({ stopped: false, drafts: 0 });
});

test("a model is chosen for one chat, before its first message as well as after", async () => {
  const { page } = await aDesk([says("one")]);
  expect(await page.call("chats.model", { chatId: "c1", model: "a.gguf" })).toMatchObject({ model: "a.gguf" });
  expect((await page.call("chats.open", { chatId: "c1" })).chat).toMatchObject({ model: "a.gguf" });
  await page.say("c1", "Hello");
  expect((await page.call("chats.open", { chatId: "c1" })).chat).toMatchObject({ model: "a.gguf" });
  expect(await page.call("chats.model", { chatId: "c1", model: null })).not.toHaveProperty("model");
});

test("a private chat is a chat like any other, and nothing of it is on the disk", async () => {
  const { app, page } = await aDesk([says("The canary sings: zwitschermaschine."), says("kept"), says("second")]);
  const { chatId } = await page.call("chats.create", { private: true });
  await page.call("chats.draft", { chatId, text: "canary draft zwitschermaschine" });
  const view = await page.say(chatId, "Sing, zwitschermaschine");
  await page.call("chats.rename", { chatId, title: "zwitschermaschine" });
  await page.say("c1", "an ordinary question");

  expect(answerOf(view)).toContain("canary");
  expect(await page.call("turns.get", { turnId: view.turn.id })).toEqual(view);
  const { chats } = await page.call("chats.list", {});
  expect(chats.map((chat) => [chat.id, chat.private])).toEqual([
    ["c1", false],
    [chatId, true],
  ]);
  const { hits } = await page.call("chats.search", { query: "canary", limit: 10 });
  expect(hits).toMatchObject([{ chatId }]);
  const moved = await page.say(chatId, "/new");
  expect(moved.turn.stopReason).toBe("command");
  const ended = await page.heard("turn.ended", ({ turnId }) => turnId === moved.turn.id);
  expect(ended.nextSessionId).toMatch(/^private-/);

  await app.close();
  const files = readdirSync(app.dataFolder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name)).toContain("lares.db");
  const bytes = Buffer.concat(files.map(({ parentPath, name }) => readFileSync(join(parentPath, name))));
  expect(bytes.includes("an ordinary question")).toBe(true);
  expect(bytes.includes("zwitschermaschine")).toBe(false);
});

test("the disk holds nothing of a private chat while it runs either", async () => {
  const gate = aGate();
  const { app, page } = await aDesk([[{ type: "text", text: "zwitschermaschine" }, gate.step, ...says(" end")]]);
  const { chatId } = await page.call("chats.create", { private: true });
  const saying = page.say(chatId, "Sing, zwitschermaschine");
  await gate.reached;
  const files = readdirSync(app.dataFolder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name)).toContain("lares.db-wal");
  const bytes = Buffer.concat(files.map(({ parentPath, name }) => readFileSync(join(parentPath, name))));
  gate.open();
  await saying;
  expect(bytes.includes("zwitschermaschine")).toBe(false);
});
