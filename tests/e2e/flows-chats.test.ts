import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { channels, storedChats, type World } from "../support/channels.ts";
import { launchChromium } from "../support/chromium.ts";
import { aPerson, eventually, type Person } from "../support/person.ts";

// What a person does with their chats, on both channels.

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
}, 60_000);
afterAll(() => browser.close());

/** The files below a folder that hold this text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".gguf"))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}

describe.each(channels)("$name", ({ open }) => {
  let world: World;
  let me: Person;
  beforeAll(async () => {
    world = await open(browser);
    world.page.setDefaultTimeout(15_000);
    me = aPerson(world.page);
  }, 120_000);
  afterAll(() => world?.close());

  const draftOf = (title: string) => storedChats(world).find((chat) => chat.title === title)?.draft;
  const titles = () => storedChats(world).map(({ title }) => title);

  test("a search goes to the hit in a chat that is longer than the window", async () => {
    const { page } = world;
    await me.ask("Where did I leave the umbrella?");
    await me.answered("Where did I leave the umbrella?");
    const later = Array.from({ length: 5 }, (_, at) => `Remark ${at}${"\nand so on".repeat(12)}`);
    for (const remark of later) {
      await me.box.fill(remark);
      await me.box.press("Enter");
      await eventually(() => page.getByRole("button", { name: "Try again" }).last().isVisible()).toBe(true);
      await page.locator("[aria-busy=true]").waitFor({ state: "detached" });
    }
    const question = me.turn("Where did I leave the umbrella?").getByText("Where did I leave the umbrella?");
    const inSight = async () => {
      const box = await question.boundingBox({ timeout: 100 }).catch(() => null);
      return box !== null && box.y > 0 && box.y < 600;
    };
    await eventually(inSight).toBe(false);
    await me.newChat();
    await page.keyboard.press("Control+Shift+F");
    await page.keyboard.type("umbrel");
    await me.list.getByRole("button", { name: /You: Where did I leave the umbrella/ }).click();
    await eventually(inSight).toBe(true);
    await me.list.getByRole("button", { name: "Leave the search" }).click();
  });

  test("a chat is renamed, pinned, deleted and brought back, and the disk knows each step", async () => {
    const { page } = world;
    await me.newChat();
    await me.ask("Packing list");
    await me.answered("Packing list");
    await me.chat("Packing list").click({ button: "right" });
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await page.getByRole("textbox", { name: "Title of the chat" }).fill("Lisbon in May");
    await page.keyboard.press("Enter");
    await eventually(titles).toContain("Lisbon in May");
    await me.chat("Lisbon in May").click({ button: "right" });
    await page.getByRole("menuitem", { name: "Pin", exact: true }).click();
    await me.list.getByRole("heading", { name: "Pinned" }).waitFor();
    expect(storedChats(world).find(({ title }) => title === "Lisbon in May")?.pinned).toBe(true);

    await me.chat("Lisbon in May").click({ button: "right" });
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await me.chat("Lisbon in May").waitFor({ state: "detached" });
    expect(titles()).not.toContain("Lisbon in May");
    await page.getByRole("button", { name: "Undo" }).click();
    await me.chat("Lisbon in May").waitFor();
    await eventually(() => me.turn("Packing list").count()).toBe(1);
    expect(titles()).toContain("Lisbon in May");
  });

  test("a draft is kept with its chat, through another chat and a page that is loaded anew", async () => {
    await me.chat("Lisbon in May").click();
    await me.box.fill("Half a thought");
    await me.newChat();
    expect(await me.box.inputValue()).toBe("");
    await me.box.fill("Another one");
    await me.chat("Lisbon in May").click();
    await eventually(() => me.box.inputValue()).toBe("Half a thought");
    await me.box.fill("Half a thought, and more");
    await eventually(() => draftOf("Lisbon in May")).toBe("Half a thought, and more");
    await world.page.reload();
    await me.chat("Lisbon in May").click();
    await eventually(() => me.box.inputValue()).toBe("Half a thought, and more");
    await me.box.fill("");
    await eventually(() => draftOf("Lisbon in May")).toBe("");
  });

  test("what another window does with a chat is seen in this one", async () => {
    const page = await world.anotherWindow();
    page.setDefaultTimeout(15_000);
    const other = aPerson(page);
    await other.chat("Lisbon in May").click();
    await other.turn("Packing list").waitFor();
    await other.ask("And an adapter?");
    await me.turn("And an adapter?").waitFor();
    await me.answered("And an adapter?");
    expect(await me.answer("And an adapter?").textContent()).toBe("Here I am");
  });

  test("a private chat answers, and leaves nothing in the data folder", async () => {
    const { page } = world;
    await page.getByRole("button", { name: "More ways to begin" }).click();
    await page.getByRole("menuitem", { name: "New private chat" }).click();
    await page.getByText("What can I help with?").waitFor();
    await me.ask("The xylophone is under the stairs");
    await me.answered("The xylophone is under the stairs");
    await me.box.fill("and so is the zither");
    await me.chat("Lisbon in May").click();
    await me.chat("private The xylophone is under the stairs").click();
    await eventually(() => me.box.inputValue()).toBe("and so is the zither");
    await page.reload();
    await me.chat("private The xylophone is under the stairs").click();
    await me.turn("The xylophone is under the stairs").waitFor();

    await page.keyboard.press("Control+Shift+F");
    await page.keyboard.type("xylophone");
    await me.list.getByRole("button", { name: /You: The xylophone/ }).waitFor();
    expect(filesWith(world.dataFolder, "umbrella")).not.toEqual([]);
    for (const secret of ["xylophone", "zither"]) expect(filesWith(world.dataFolder, secret)).toEqual([]);
  });

  test("the console stays silent through all of this", () => expect(world.problems).toEqual([]));
});
