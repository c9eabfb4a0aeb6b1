import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium } from "../support/chromium.ts";
import { type OpenPage, openPage } from "../support/open-page.ts";
import { aPage } from "../support/page.ts";
import { type ScriptStep, says } from "../support/scripted-provider.ts";

let browser: Browser;
let opened: OpenPage;
let page: Page;
let desk: ReturnType<typeof aPage>;

beforeAll(async () => {
  browser = await launchChromium();
  opened = await openPage({ browser, hasModel: true, afterwards: says("Yes.") });
  page = opened.page;
  page.setDefaultTimeout(20_000);
  desk = aPage(opened.app.desk);
  await box().waitFor();
}, 60_000);
afterAll(async () => {
  desk?.close();
  await opened?.close();
  await browser?.close();
});

const box = () => page.locator("#composer");
const last = () => page.getByRole("article").last();
const side = () => page.getByRole("navigation", { name: "Chats" });
const title = () => page.getByRole("heading", { level: 1 }).textContent();

async function newChat(): Promise<void> {
  await page.keyboard.press("Control+Shift+O");
  await page.getByText("What can I help with?").waitFor();
}

async function answerTo(text: string): Promise<void> {
  await box().fill(text);
  await box().press("Enter");
  await last().getByRole("button", { name: "Try again" }).waitFor();
}

/** The longest time in which the page could do nothing else, milliseconds, while `work` went on. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  await page.evaluate(() => {
    let before = performance.now();
    const look = () => {
      const now = performance.now();
      state.longest = Math.max(state.longest, now - before);
      before = now;
      if (state.isOn) setTimeout(look);
    };
    const state = { longest: 0, isOn: true };
    Object.assign(window, { blocks: state });
    look();
  });
  await work();
  return page.evaluate(() => {
    const { blocks } = window as unknown as { blocks: { longest: number; isOn: boolean } };
    blocks.isOn = false;
    return Math.round(blocks.longest);
  });
}

test("50 MB from the clipboard are refused in words, and what was typed stays", async ({ annotate }) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await box().fill("Half a thought");
  await page.evaluate(() => navigator.clipboard.writeText("All of it. ".repeat((50 * 1024 * 1024) / 11)));
  const ms = await longestBlock(async () => {
    await box().press("Control+v");
    await page.getByRole("alert").getByText("That text is too long for a message.").waitFor();
  });
  expect(await box().inputValue()).toBe("Half a thought");
  await annotate(`the page was blocked for ${ms} ms`);
  await page.evaluate(() => navigator.clipboard.writeText(", and its end"));
  await box().press("Control+v");
  await expect.poll(() => box().inputValue()).toBe("Half a thought, and its end");
});

test("a message of 900,000 characters is kept and shown piece by piece; one more is refused", async () => {
  const { chatId } = await desk.call("chats.create", { private: false });
  const text = "One line of a very long message.\n".repeat(40_000).slice(0, 900_000);
  const tooLong = desk.call("turns.send", { chatId, inboundId: "too-long", text: `${text}!` });
  await expect(tooLong).rejects.toMatchObject({ code: "bad-request" });
  await desk.say(chatId, text);
  await side().getByRole("button", { name: "One line of a very long message." }).first().click();
  await expect.poll(title).toBe("One line of a very long message.");
  await last().getByRole("button", { name: "Try again" }).waitFor();
  await last()
    .getByRole("button", { name: /^Show more/ })
    .click();
  await last()
    .getByRole("button", { name: /^Show more/ })
    .click();
  await last()
    .getByRole("button", { name: /^Show more/ })
    .waitFor({ state: "detached" });
  const shown = (await last().locator("h2 + div").first().textContent()) ?? "";
  expect(shown.replaceAll("\n", "")).toBe(text.replaceAll("\n", ""));
});

test("what nobody could see in a message is written out, in the message and in the title", async () => {
  await newChat();
  await answerTo("invoice\u202Efdp.exe pay\u200Bpal");
  await last().getByText("invoice[U+202E]fdp.exe pay[U+200B]pal").waitFor();
  expect(await title()).not.toMatch(/[\u202E\u200B]/);
  expect(await side().textContent()).not.toMatch(/[\u202E\u200B]/);
});

test("a title is one short line of plain text, whatever it was made from", async () => {
  const hostile = `<img src=x onerror="alert(1)">\u202E ${"long ".repeat(20_000)}\n<b>two</b>`;
  const { chatId } = await desk.call("chats.create", { private: false });
  await desk.say(chatId, hostile);
  const row = side()
    .getByRole("button", { name: /^<img src=x/ })
    .first();
  await row.click();
  await expect.poll(title).toMatch(/^<img src=x onerror="alert\(1\)"> long [long …]{1,100}$/);
  expect(await page.locator("img").count()).toBe(0);

  const rename = (title: string) => desk.call("chats.rename", { chatId, title });
  await expect(rename("x".repeat(100_000))).rejects.toMatchObject({ code: "bad-request" });
  await rename("<i>First</i>\u202E\u0000\r\nsecond\u2028third");
  await expect.poll(title).toBe("<i>First</i>");
  const { height } = (await side().locator(`[data-chat="${chatId}"]`).boundingBox()) ?? { height: 0 };
  const { height: usual } = (await side().locator("[data-chat]").last().boundingBox()) ?? { height: 0 };
  expect(height).toBe(usual);
  expect(`${await title()} ${await side().textContent()}`).not.toContain("\u202E");
});

test("while 500 pieces a second come for ten seconds, what is typed is there", async ({ annotate }) => {
  const pieces = Array.from({ length: 500 }, (_, index): ScriptStep[] => [
    { wait: 18 },
    ...Array.from({ length: 10 }, (_, piece): ScriptStep => ({ type: "text", text: `p${index * 10 + piece} ` })),
  ]).flat();
  opened.model.reply(...pieces, { type: "finish", reason: "stop" });
  await newChat();
  await box().fill("Go on");
  await box().press("Enter");
  await last()
    .getByText(/\bp100\b/)
    .waitFor();
  const typed = "All of this is typed while the answer comes. ".repeat(4);
  const ms = await longestBlock(() => box().pressSequentially(typed, { delay: 25 }));
  expect(await box().inputValue()).toBe(typed);
  await page.getByRole("button", { name: "Stop (Esc)" }).waitFor();
  await last().getByRole("button", { name: "Try again" }).waitFor();
  const shown = (await last().locator("[aria-busy] > div > p").textContent()) ?? "";
  expect(shown.trim().split(" ")).toEqual(Array.from({ length: 5000 }, (_, index) => `p${index}`));
  await box().fill("");
  await annotate(`the page was blocked for at most ${ms} ms`);
}, 60_000);

test("and the console stays silent through all of this", () => expect(opened.problems).toEqual([]));
