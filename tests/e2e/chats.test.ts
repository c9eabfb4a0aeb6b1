import { afterAll, beforeAll, expect, test } from "vitest";
import { type OpenPage, openPage } from "../support/open-page.ts";
import { says } from "../support/scripted-provider.ts";

let opened: OpenPage;
/** Two cores are shared by many: what happens soon may take a while. */
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 10_000 });

beforeAll(async () => {
  opened = await openPage({ afterwards: says("The lease ends on 31 August 2027.") });
  opened.page.setDefaultTimeout(10_000);
  await opened.page.getByRole("button", { name: "Look around first" }).click();
  for (const question of ["When does the lease end?", "Packing list for Lisbon", "比较两份保险方案"])
    await ask(question);
});
afterAll(() => opened?.close());

async function ask(question: string): Promise<void> {
  const { page } = opened;
  const empty = page.locator("main").getByText("The lease ends on");
  await page.keyboard.press("Control+Shift+O");
  await empty.waitFor({ state: "detached" });
  await page.locator("#composer").fill(question);
  await page.locator("#composer").press("Enter");
  await row(question).waitFor();
  await empty.waitFor();
}

const list = () => opened.page.getByRole("navigation", { name: "Chats" });
const row = (title: string) => list().getByRole("button", { name: title, exact: true });
const title = () => opened.page.getByRole("heading", { level: 1 });
const titles = () => list().locator("[data-chat] > button:first-child").allTextContents();
const focused = () => opened.page.evaluate(() => document.activeElement?.textContent ?? "");

test("the arrows move through the list, Enter opens, and Alt with them opens at once", async () => {
  const { page } = opened;
  await row("比较两份保险方案").focus();
  await page.keyboard.press("ArrowDown");
  await eventually(focused).toBe("Packing list for Lisbon");
  await page.keyboard.press("End");
  await eventually(focused).toBe("When does the lease end?");
  await page.keyboard.press("Enter");
  await eventually(() => title().textContent()).toBe("When does the lease end?");
  await page.locator("#composer").focus();
  await page.keyboard.press("Alt+ArrowUp");
  await eventually(() => title().textContent()).toBe("Packing list for Lisbon");
});

test("a chat is renamed in the list with F2; Esc leaves its title as it was", async () => {
  const { page } = opened;
  await row("Packing list for Lisbon").focus();
  await page.keyboard.press("F2");
  await page.keyboard.type("Never mind");
  await page.keyboard.press("Escape");
  await eventually(focused).toBe("Packing list for Lisbon");
  await page.keyboard.press("F2");
  await page.keyboard.type("Lisbon");
  await page.keyboard.press("Enter");
  await row("Lisbon").waitFor();
  await eventually(focused).toBe("Lisbon");
});

test("the menu of a row opens by keyboard, pins, and gives the focus back", async () => {
  const { page } = opened;
  await row("When does the lease end?").focus();
  await page.keyboard.press("Shift+F10");
  await page.getByRole("menuitem", { name: "Pin", exact: true }).click();
  await eventually(async () => (await titles())[0]).toBe("When does the lease end?");
  await list().getByRole("heading", { name: "Pinned" }).waitFor();
  await row("When does the lease end?").click({ button: "right" });
  await page.getByRole("menuitem", { name: "Unpin" }).click();
  await eventually(async () => (await titles()).at(-1)).toBe("When does the lease end?");
});

test("a deleted chat is gone at once, the focus goes to its neighbour, and Undo brings it back open", async () => {
  const { page } = opened;
  await row("Lisbon").focus();
  await page.keyboard.press("Delete");
  await row("Lisbon").waitFor({ state: "detached" });
  await eventually(focused).toBe("When does the lease end?");
  await page.getByRole("button", { name: "Undo" }).click();
  await row("Lisbon").waitFor();
  await eventually(() => title().textContent()).toBe("Lisbon");
});

test("a private chat stands first and is told apart", async () => {
  const { page } = opened;
  await page.getByRole("button", { name: "More ways to begin" }).click();
  await page.getByRole("menuitem", { name: "New private chat" }).click();
  await page.locator("main").getByText("The lease ends on").waitFor({ state: "detached" });
  await page.locator("#composer").fill("A secret");
  await page.locator("#composer").press("Enter");
  await list().getByRole("heading", { name: "Private" }).waitFor();
  await eventually(async () => (await titles())[0]).toMatch(/private.*A secret/s);
  await opened.app.idle();
  const id = (await row("private A secret").getAttribute("id"))?.slice("chat-".length) ?? "";
  expect(opened.app.store.chat(id)).toBeUndefined();
});

test("the search finds words, parts of words and Chinese, and opens the chat at the hit", async () => {
  const { page } = opened;
  await page.keyboard.press("Control+Shift+F");
  await page.keyboard.type("isbo pack");
  const hit = list().getByRole("button", { name: /You: Packing list for Lisbon/ });
  await hit.waitFor();
  await eventually(() => hit.locator("mark").allTextContents()).toEqual(["Pack", "isbo"]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await eventually(() => title().textContent()).toBe("Lisbon");

  await page.getByRole("textbox", { name: "Search everything" }).fill("保险");
  await list()
    .getByRole("button", { name: /You: 比较/ })
    .waitFor();
  await page.getByRole("textbox", { name: "Search everything" }).fill("zebra");
  await list().getByText("Nothing found").waitFor();
  await page.keyboard.press("Escape");
  await row("Lisbon").waitFor();
});
