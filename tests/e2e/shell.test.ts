import { afterAll, beforeAll, expect, test } from "vitest";
import { type OpenPage, openPage } from "../support/open-page.ts";
import { says } from "../support/scripted-provider.ts";

let opened: OpenPage;
/** Two cores are shared by many: what happens soon may take a while. */
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 10_000 });

beforeAll(async () => {
  opened = await openPage({ afterwards: says("Fine.") });
  opened.page.setDefaultTimeout(10_000);
  await opened.page.getByRole("button", { name: "Look around first" }).click();
  await opened.page.locator("#composer").fill("First question");
  await opened.page.locator("#composer").press("Enter");
  await side().getByRole("button", { name: "First question", exact: true }).waitFor();
});
afterAll(() => opened?.close());

const side = () => opened.page.getByRole("navigation", { name: "Chats" });
const focusedId = () => opened.page.evaluate(() => document.activeElement?.id);

/** Opens the palette, types, and takes the first thing it offers. */
async function command(words: string): Promise<void> {
  const { page } = opened;
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Commands and chats" }).fill(words);
  await page
    .getByRole("option", { name: new RegExp(words, "i") })
    .first()
    .waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

test("the palette runs commands and leaves the focus where the command wants it", async () => {
  const { page } = opened;
  await command("Search all");
  await eventually(focusedId).toBe("chat-search");
  await command("Rename this");
  await page.getByRole("textbox", { name: "Title of the chat" }).fill("Renamed");
  await page.keyboard.press("Enter");
  await side().getByRole("button", { name: "Renamed", exact: true }).waitFor();
  await command("New chat");
  await eventually(() => page.getByRole("heading", { level: 1 }).textContent()).not.toBe("Renamed");
  await command("Renamed");
  await eventually(() => page.getByRole("heading", { level: 1 }).textContent()).toBe("Renamed");
});

test("what no command is called goes from the palette into the search", async () => {
  const { page } = opened;
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Commands and chats" }).fill("first quest");
  await page.getByRole("option", { name: "Search all chats for “first quest”" }).click();
  await side()
    .getByRole("button", { name: /You: First question/ })
    .waitFor();
  await eventually(focusedId).toBe("chat-search");
  await page.keyboard.press("Escape");
});

test("theme and language change at once, are kept, and reach every other window", async () => {
  const { page, app } = opened;
  const other = await opened.another();
  await other.getByRole("button", { name: "Look around first" }).click();
  const theme = () => other.evaluate(() => document.documentElement.dataset.theme);
  await command("Theme: dark");
  await eventually(theme).toBe("dark");
  await page.keyboard.press("Control+,");
  await page.getByText("简体中文", { exact: true }).click();
  await page.getByRole("dialog", { name: "设置" }).waitFor();
  await other.getByRole("navigation", { name: "对话" }).waitFor();
  await eventually(() => page.evaluate(() => document.documentElement.lang)).toBe("zh-CN");
  await page.getByText("English", { exact: true }).click();
  await page.getByRole("dialog", { name: "Settings" }).waitFor();
  expect(JSON.stringify(app.store.setting("settings") ?? "")).toContain("dark");
  await other.context().close();
});

test("settings are found in both languages, numbers out of range are refused with their range", async () => {
  const { page } = opened;
  const dialog = page.getByRole("dialog", { name: "Settings" });
  await dialog.getByRole("searchbox").fill("上下文");
  await eventually(() => dialog.getByRole("textbox").count()).toBe(1);
  const window = dialog.getByRole("textbox", { name: "Window" });
  await window.fill("12");
  await dialog.getByText("A whole number from 512 to 1,048,576").waitFor();
  await window.fill("4096");
  await eventually(() => window.getAttribute("aria-invalid")).toBe("false");
  await window.blur();
  await eventually(() => window.inputValue()).toBe("4,096");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
});

test("a workspace that is no folder is refused in words, and one that is one is used", async () => {
  const { page, dataFolder } = opened;
  await page.keyboard.press("Control+,");
  const dialog = page.getByRole("dialog", { name: "Settings" });
  await dialog.getByRole("textbox", { name: "Workspace" }).fill(`${dataFolder}/nowhere`);
  await dialog.getByRole("button", { name: "Use this folder" }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByRole("textbox", { name: "Workspace" }).fill(dataFolder);
  await dialog.getByRole("button", { name: "Use this folder" }).click();
  await dialog.getByRole("alert").waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
});

test("in a narrow window the chats are a drawer that closes when one is opened", async () => {
  const { page } = opened;
  await page.setViewportSize({ width: 390, height: 800 });
  await side().waitFor({ state: "detached" });
  await page.keyboard.press("Control+b");
  await side().getByRole("button", { name: "Renamed", exact: true }).click();
  await side().waitFor({ state: "detached" });
  await page.keyboard.press("Control+Shift+F");
  await eventually(focusedId).toBe("chat-search");
  await page.keyboard.press("Escape");
  await side().waitFor({ state: "detached" });
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.keyboard.press("Control+b");
  await side().waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Open chats" }).click();
  await side().waitFor();
});

test("an overlay and a drawer never lie on one another", async () => {
  const { page } = opened;
  await page.setViewportSize({ width: 390, height: 800 });
  await page.keyboard.press("Control+b");
  await side().getByRole("button", { name: "Settings" }).click();
  await page.getByRole("dialog", { name: "Settings" }).waitFor();
  await eventually(() => page.getByRole("dialog").count()).toBe(1);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.setViewportSize({ width: 1280, height: 800 });
});

test("the console stays silent through all of this", () => expect(opened.problems).toEqual([]));

test("a lost connection is said, and what is written stays", async () => {
  const { page, channel } = opened;
  await page.locator("#composer").fill("Half a thought");
  await channel.close();
  await page.getByText("The connection to Lares is lost.").waitFor();
  expect(await page.locator("#composer").inputValue()).toBe("Half a thought");
});
