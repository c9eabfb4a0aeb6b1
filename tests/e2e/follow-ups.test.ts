import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { expectOpen } from "../support/access.ts";
import { launchChromium } from "../support/chromium.ts";
import { aGate } from "../support/desk.ts";
import { type OpenPage, openPage } from "../support/open-page.ts";
import { calls, type ScriptStep, says } from "../support/scripted-provider.ts";

let browser: Browser;
let opened: OpenPage;

beforeAll(async () => {
  browser = await launchChromium();
}, 60_000);
afterEach(async () => {
  const { problems, app } = opened;
  const found = app.store.check();
  await opened.close();
  expect([problems, found]).toEqual([[], []]);
});
afterAll(() => browser.close());

async function start(script: ReadonlyArray<readonly ScriptStep[]>) {
  opened = await openPage({ browser, script, hasModel: true, workspace: import.meta.dirname });
  const { page } = opened;
  page.setDefaultTimeout(10_000);
  await page.locator("#composer").waitFor();
  return page;
}

async function ask(page: Page, text: string): Promise<void> {
  await page.locator("#composer").fill(text);
  await page.locator("#composer").press("Enter");
}

const words = (text: string): ScriptStep => ({ type: "text", text });
const chips = (page: Page) => page.getByRole("list", { name: "Waiting messages" });
const chip = (page: Page, text: string) => chips(page).getByRole("listitem").filter({ hasText: text });
const inbound = (text: string) => {
  const [chat] = opened.app.store.chats();
  return opened.app.store.waiting(chat?.id ?? "").find((waiting) => waiting.text === text);
};

test("a follow-up joins the running answer: its bubble stands at its place, and the answer goes on below it", async () => {
  const gate = aGate();
  const page = await start([
    [words("I look."), gate.step, ...calls({ name: "list_files", input: {} })],
    says("Both are there."),
  ]);
  await ask(page, "Where is the lease?");
  await gate.reached;
  await ask(page, "And the letter?");
  await chip(page, "And the letter?").getByText("in this answer").waitFor();
  await expectOpen(opened.app, page);
  gate.open();
  const turn = page.getByRole("article");
  await turn.getByText("Both are there.").waitFor();
  await chips(page).waitFor({ state: "detached" });
  expect(await turn.count()).toBe(1);
  expect(await turn.textContent()).toMatch(
    /Where is the lease\?.*I look\..*list_files.*And the letter\?.*Both are there\./s,
  );
  await page.getByRole("button", { name: "Trace", exact: true }).click();
  const trace = page.getByRole("complementary", { name: "Inspector" });
  await trace.getByText("a follow-up joined").waitFor();
  const pins = /awaiting_model|awaiting_tools|tools_completed|final_response|a follow-up joined/g;
  expect((await trace.textContent())?.match(pins)).toEqual([
    "awaiting_model",
    "awaiting_tools",
    "tools_completed",
    "a follow-up joined",
    "awaiting_model",
    "final_response",
  ]);
});

test("a follow-up that is put after the answer has an answer of its own", async () => {
  const gate = aGate();
  const page = await start([[words("First"), gate.step, ...says(" is done.")], says("Second is done.")]);
  await ask(page, "One");
  await gate.reached;
  await ask(page, "Two");
  await chip(page, "Two").getByRole("button", { name: "Answer it after the running answer" }).click();
  await expect.poll(() => inbound("Two")?.after).toBe(true);
  gate.open();
  await page.getByText("Second is done.").waitFor();
  expect(await page.getByRole("article").count()).toBe(2);
});

test("where a follow-up is put is seen in every window", async () => {
  const gate = aGate();
  const page = await start([[words("First"), gate.step, ...says(" is done.")], says("Second is done.")]);
  try {
    await ask(page, "One");
    await gate.reached;
    await ask(page, "Two");
    const other = await opened.another();
    await other.getByRole("navigation", { name: "Chats" }).getByText("One").click();
    await chip(other, "Two").waitFor();
    await chip(page, "Two").getByRole("button", { name: "Answer it after the running answer" }).click();
    await expect.poll(() => inbound("Two")?.after).toBe(true);
    for (const seen of [page, other])
      await chip(seen, "Two").getByText("after this answer").waitFor({ timeout: 2_000 });
  } finally {
    gate.open();
  }
});

test("a stop turns what waits into drafts, in order: sent, edited or dropped by the person", async () => {
  const gate = aGate();
  const page = await start([[words("Busy"), gate.step, ...says("")], says("Now this.")]);
  await ask(page, "One");
  await gate.reached;
  for (const text of ["Send me", "Edit me", "Drop me"]) await ask(page, text);
  await chip(page, "Drop me").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  gate.open();
  await chip(page, "Drop me").getByText("kept as a draft").waitFor();
  expect(await chips(page).getByRole("listitem").allTextContents()).toEqual(
    ["Send me", "Edit me", "Drop me"].map((text) => expect.stringContaining(text)),
  );
  await chip(page, "Drop me").getByRole("button", { name: "Drop" }).click();
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("composer");
  await chip(page, "Send me").getByRole("button", { name: "Send now" }).click();
  await page.getByText("Now this.").waitFor();
  await chip(page, "Edit me").getByRole("button", { name: "Edit" }).click();
  await chips(page).waitFor({ state: "detached" });
  expect(await page.locator("#composer").inputValue()).toBe("Edit me");
});

test("a goal stands over the box while there is one: spent and allowed, paused, resumed, cancelled", async () => {
  const gate = aGate();
  const page = await start([
    [words("I begin."), gate.step, ...calls({ name: "list_files", input: {} })],
    ...Array.from({ length: 8 }, () => says("Still at it.")),
  ]);
  await ask(page, "/goal Tidy the notes");
  const goal = page.getByRole("region", { name: "Goal" });
  await goal.getByText("working on it").waitFor();
  expect(await goal.textContent()).toMatch(/Tidy the notes.*0 of 100 steps · 0 of 30 min/);
  await expectOpen(opened.app, page);
  gate.open();
  await goal.getByText(/^paused: /).waitFor();
  await goal.getByRole("button", { name: "Cancel goal" }).click();
  await goal.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Trace", exact: true }).click();
  await page.getByText("goal not reached, goes on").first().waitFor();
});
