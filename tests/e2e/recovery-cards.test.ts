import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createStore } from "../../src/main/db/store.ts";
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
const card = (title: string) => page.locator("section[data-tone]", { has: page.getByRole("heading", { name: title }) });

test("an interrupted answer is a card at its place; Continue goes on with the same words", async () => {
  await open("Tell me a story");
  const interrupted = card("Interrupted");
  await interrupted.waitFor();
  expect(await interrupted.textContent()).toContain("Done: list_files");
  await interrupted.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Once upon a time there was a lamp.").waitFor();
  await expect.poll(() => interrupted.count()).toBe(0);
  expect(await page.getByText("Once upon a time").count()).toBe(1);
});

test("a call that may have happened is asked about; what waits behind it says so, and goes on after the decision", async () => {
  await open("Send the letter");
  const unknown = card("This may or may not have happened");
  await unknown.waitFor();
  await page.getByText("waits for your decision above").waitFor();
  expect(await unknown.textContent()).toMatch(/send_letter[\s\S]*It happened[\s\S]*It did not[\s\S]*Run it again/);
  expect(await unknown.getByRole("button", { name: "Continue" }).count()).toBe(0);
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
