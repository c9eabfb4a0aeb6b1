import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectOpen, expectOpenAsIs } from "../support/access.ts";
import { launchChromium } from "../support/chromium.ts";
import { type OpenPage, openPage } from "../support/open-page.ts";
import { says } from "../support/scripted-provider.ts";

let browser: Browser;
let opened: OpenPage;
let page: Page;

beforeAll(async () => {
  browser = await launchChromium();
  opened = await openPage({ browser, hasModel: true, afterwards: says("It ends on 31 August 2027.") });
  page = opened.page;
  page.setDefaultTimeout(10_000);
  for (const question of ["When does the lease end?", "Packing list for Lisbon"]) await ask(question);
}, 60_000);
afterAll(async () => {
  await opened?.close();
  await browser?.close();
});

async function ask(question: string): Promise<void> {
  await page.keyboard.press("Control+Shift+O");
  await page.getByText("What can I help with?").waitFor();
  await page.locator("#composer").fill(question);
  await page.locator("#composer").press("Enter");
  await page.getByRole("button", { name: "Try again" }).waitFor();
}

const check = () => expectOpen(opened.app, page);
const side = () => page.getByRole("navigation", { name: "Chats" });
const row = (title: string) => side().getByRole("button", { name: title, exact: true });
const focused = () =>
  page.evaluate(
    () => document.activeElement?.id || document.activeElement?.ariaLabel || document.activeElement?.textContent,
  );

test("the first screen, with a path that leads nowhere", async () => {
  const first = await openPage({ browser, provider: null });
  first.page.setDefaultTimeout(10_000);
  await first.page.getByRole("button", { name: "Look around first" }).waitFor();
  await expectOpen(first.app, first.page);
  await first.page.getByRole("button", { name: "Use a file I have" }).click();
  await first.page.getByRole("textbox").fill("/nowhere/at-all.gguf");
  await first.page.keyboard.press("Enter");
  await first.page.getByRole("alert").waitFor();
  await expectOpen(first.app, first.page);
  expect(first.problems).toEqual([]);
  await first.close();
});

test("the list, the menu of a chat, and its title while it is written", async () => {
  await row("Packing list for Lisbon").focus();
  await check();
  await page.keyboard.press("Shift+F10");
  await page.getByRole("menu").waitFor();
  await check();
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "More ways to begin" }).click();
  await page.getByRole("menu").waitFor();
  await check();
  await page.keyboard.press("Escape");
  await row("Packing list for Lisbon").press("F2");
  await page.getByRole("textbox", { name: "Title of the chat" }).waitFor();
  await check();
  await page.keyboard.press("Escape");
});

test("the menu of models beside the message", async () => {
  const pick = page.getByRole("button", { name: /^Model of this chat/ });
  await pick.click();
  await page.getByRole("menu").waitFor();
  await check();
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  await expect.poll(() => pick.evaluate((button) => button === document.activeElement)).toBe(true);
});

test("what a search finds, and that it finds nothing", async () => {
  await page.keyboard.press("Control+Shift+F");
  await page.keyboard.type("lisbon");
  await page.locator("mark").first().waitFor();
  await check();
  await page.locator("#chat-search").fill("zebra");
  await page.getByText("Nothing found").waitFor();
  await check();
  await page.keyboard.press("Escape");
});

test("news, with its way back", async () => {
  await ask("To be deleted");
  await row("To be deleted").press("Delete");
  await page.getByRole("button", { name: "Undo" }).waitFor();
  await page.keyboard.press("F6");
  await check();
  await page.getByRole("button", { name: "Dismiss" }).click();
  await page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
});

const overlays = [
  { name: "the palette", keys: "Control+k" },
  { name: "the sheet of shortcuts", keys: "Control+/" },
  { name: "the settings", keys: "Control+," },
  { name: "the models", keys: "Control+k", command: "Models" },
] as const;

test.for(overlays)("$name: open to all, keeps Tab, closes with Esc and gives the focus back", async (overlay) => {
  await row("When does the lease end?").click();
  await page.locator("#composer").focus();
  await page.keyboard.press(overlay.keys);
  await page.getByRole("dialog").waitFor();
  if ("command" in overlay) {
    await page.keyboard.type(overlay.command);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: overlay.command }).waitFor();
  }
  await check();
  const isInside = () =>
    page.evaluate(
      () => document.activeElement?.closest("[role=dialog]") != null || document.activeElement?.outerHTML.slice(0, 300),
    );
  for (const key of [...Array(30).fill("Tab"), ...Array(3).fill("Shift+Tab")]) {
    await page.keyboard.press(key);
    await expect.poll(isInside, { message: key, timeout: 2000 }).toBe(true);
  }
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await expect.poll(focused).toBe("composer");
});

test("a setting that is not found, and a number that is out of range", async () => {
  await page.keyboard.press("Control+,");
  await page.getByRole("searchbox").fill("zebra");
  await page.getByText("No setting has these words.").waitFor();
  await check();
  await page.getByRole("searchbox").fill("");
  await page.getByRole("textbox", { name: "Window" }).fill("12");
  await page.getByText("A whole number from 512").waitFor();
  await check();
  await page.getByRole("textbox", { name: "Window" }).fill("");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

test("the first Tab of the page leads to a way past the list", async () => {
  await page.reload();
  await expect.poll(focused).toBe("composer"); // one can type at once
  await page.evaluate(() => {
    document.body.tabIndex = -1;
    document.body.focus(); // as one who reads the page from its top
  });
  await page.keyboard.press("Tab");
  await expect.poll(focused).toBe("Skip to the message box");
  await check();
  await page.keyboard.press("Enter");
  await expect.poll(focused).toBe("composer");
});

test("a page whose session is over, and one that has lost its connection", async () => {
  expect(opened.problems).toEqual([]);
  for (const locale of ["en-US", "zh-CN"]) {
    const stranger = await browser.newContext({ reducedMotion: "reduce", locale });
    const over = await stranger.newPage();
    await over.goto(`http://127.0.0.1:${opened.channel.port}/`);
    await over.getByRole("alert").waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await over.emulateMedia({ colorScheme });
      await expectOpenAsIs(over, `${locale} ${colorScheme}`);
    }
    await stranger.close();
  }
  await opened.channel.close();
  await page.getByText("The connection to Lares is lost.").waitFor();
});
