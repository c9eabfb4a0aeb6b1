import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createStore } from "../../src/main/db/store.ts";
import { expectOpen } from "../support/access.ts";
import { aCrash } from "../support/crashed-turn.ts";
import { type OpenPage, openPage } from "../support/open-page.ts";
import { says } from "../support/scripted-provider.ts";

let opened: OpenPage;
let page: Page;
const dataFolder = mkdtempSync(join(tmpdir(), "lares-cards-"));

/** The data as a kill -9 left it: one chat was writing, one was sending, one was whole, one had not begun. */
beforeAll(async () => {
  mkdirSync(dataFolder, { recursive: true });
  const store = createStore(join(dataFolder, "lares.db"));
  const begun = (sessionId: string, text: string) => {
    const crash = aCrash(text, { store, sessionId, turnId: `t-${sessionId}`, inboundId: `m-${sessionId}` });
    return crash;
  };
  const writing = begun("writing", "Tell me a story");
  writing.asked();
  writing.asks({ name: "list_files", class: "read", state: "finished" });
  writing.half("Once upon a time");
  const sending = begun("sending", "Send the letter");
  sending.asked();
  sending.asks(
    { name: "send_letter", class: "once", state: "running" },
    { name: "list_files", class: "read", state: "requested" },
  );
  store.accept({ id: "behind", sessionId: "sending", channel: "window", text: "And then call her", createdAt: 9 });
  const whole = begun("whole", "What is the capital of France?");
  whole.asked();
  store.append({ ...whole.row, role: "assistant", status: "complete", parts: [{ type: "text", text: "Paris." }] });
  store.setPhase("t-whole", "final_response", 1);
  begun("early", "Not even begun").pass("restore");
  for (const [chat, title] of [
    ["left", "Leave this one"],
    ["older", "Older than what I say next"],
  ] as const) {
    const cut = begun(chat, title);
    cut.asked();
    cut.asks({ name: "list_files", class: "read", state: "requested" });
    cut.half("Half of it");
  }
  const twice = begun("twice", "Send two letters");
  twice.asked();
  twice.asks(
    { name: "send_letter", class: "once", state: "running" },
    { name: "send_parcel", class: "once", state: "running" },
  );
  store.close();
  opened = await openPage({ dataFolder, hasModel: true, afterwards: says(" there was a lamp.") });
  page = opened.page;
  page.setDefaultTimeout(10_000);
}, 60_000);

afterAll(async () => {
  await opened?.close();
  rmSync(dataFolder, { recursive: true, force: true });
});

const open = (title: string) => page.getByRole("navigation", { name: "Chats" }).getByText(title).click();
const focused = () => page.evaluate(() => document.activeElement?.id);
const card = (title: string) => page.locator("section[data-tone]", { has: page.getByRole("heading", { name: title }) });

test("an interrupted answer is a card at its place; Continue goes on with the same words", async () => {
  await open("Tell me a story");
  const interrupted = card("Interrupted");
  await interrupted.waitFor();
  expect(await interrupted.textContent()).toContain("Done: list_files");
  await page.getByRole("status").getByText("The answer was interrupted.").waitFor();
  await expectOpen(opened.app, page);
  await interrupted.getByRole("button", { name: "Continue" }).press("Enter");
  await page.getByText("Once upon a time there was a lamp.").waitFor();
  await expect.poll(() => interrupted.count()).toBe(0);
  expect(await page.getByText("Once upon a time").count()).toBe(1);
  await expect.poll(focused).toBe("composer");
});

test("an interrupted answer that is left stays as it is, with a quiet word", async () => {
  await open("Leave this one");
  expect(await card("Interrupted").textContent()).toContain("Not started yet: list_files");
  await card("Interrupted").getByRole("button", { name: "Dismiss" }).press("Enter");
  await page.getByText("This answer was interrupted, and left as it is.").waitFor();
  expect(await page.getByText("Half of it").count()).toBe(1);
  await page.locator("details").getByText("not started").waitFor();
  await expect.poll(focused).toBe("composer");
  await expectOpen(opened.app, page);
});

test("a newer message leaves an interrupted answer as it is, and is answered", async () => {
  await open("Older than what I say next");
  await card("Interrupted").waitFor();
  await page.locator("#composer").fill("Something newer");
  await page.locator("#composer").press("Enter");
  await page.getByText("there was a lamp.").waitFor();
  await page.getByText("This answer was interrupted, and left as it is.").waitFor();
  expect(await card("Interrupted").count()).toBe(0);
});

test("of two calls that may have happened each is decided, with the keyboard alone", async () => {
  await open("Send two letters");
  const unknown = card("This may or may not have happened");
  await unknown.getByRole("group", { name: "send_letter" }).getByRole("button", { name: "It did not" }).press("Enter");
  await expect.poll(() => unknown.getByRole("group").count()).toBe(1);
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("It happened");
  await page.keyboard.press("Enter");
  await page.getByText("there was a lamp.").waitFor();
  await expect.poll(focused).toBe("composer");
  const states = opened.app.store.calls("t-twice").map(({ state }) => state);
  expect(states).toEqual(["failed", "finished"]);
});

test("a call that may have happened is asked about; what waits behind it says so, and goes on after the decision", async () => {
  await open("Send the letter");
  const unknown = card("This may or may not have happened");
  await unknown.waitFor();
  await page.getByText("waits for your decision above").waitFor();
  expect(await unknown.textContent()).toMatch(/send_letter[\s\S]*It happened[\s\S]*It did not[\s\S]*Run it again/);
  expect(await unknown.getByRole("button", { name: "Continue" }).count()).toBe(0);
  await expectOpen(opened.app, page);
  const another = await opened.another();
  await another.getByRole("navigation", { name: "Chats" }).getByText("Send the letter").click();
  const there = another.getByRole("button", { name: "It happened" });
  await there.waitFor();
  await unknown.getByRole("button", { name: "It happened" }).click();
  await expect.poll(() => unknown.count()).toBe(0);
  await expect.poll(() => there.count()).toBe(0); // decided once, everywhere
  await another.context().close();
  await page.getByText("And then call her").waitFor();
  const states = () => opened.app.store.calls("t-sending").map(({ state }) => state);
  await expect.poll(states).toEqual(["finished", "finished"]);
});

test("an answer that was whole before anybody saw it says so, quietly", async () => {
  await open("What is the capital of France?");
  const undelivered = card("Finished while nobody was looking");
  await undelivered.waitFor();
  await expectOpen(opened.app, page);
  await undelivered.getByRole("button", { name: "Got it" }).click();
  await expect.poll(() => undelivered.count()).toBe(0);
  expect(await page.getByText("Paris.").count()).toBe(1);
});

test("a message whose turn had not begun is a draft over the composer", async () => {
  await open("Not even begun");
  await page.getByText("kept as a draft").waitFor();
  await page.getByRole("button", { name: "Send now" }).click();
  await page.getByText("there was a lamp.").waitFor();
});

test("nothing in the console, and the store is sound", () => {
  expect(opened.problems).toEqual([]);
  expect(opened.app.store.check()).toEqual([]);
});
