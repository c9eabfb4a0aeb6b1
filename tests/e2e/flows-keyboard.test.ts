import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { channels, storedChats, storedTurns, type World } from "../support/channels.ts";
import { launchChromium } from "../support/chromium.ts";
import { aPerson, eventually, type Person } from "../support/person.ts";

// Lares without a mouse, on both channels: nothing here clicks, hovers or puts the focus anywhere but with keys.

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
}, 60_000);
afterAll(() => browser.close());

describe.each(channels)("$name", ({ open }) => {
  let world: World;
  let me: Person;
  beforeAll(async () => {
    world = await open(browser);
    world.page.setDefaultTimeout(15_000);
    me = aPerson(world.page);
    await me.box.waitFor();
  }, 120_000);
  afterAll(() => world?.close());

  const focused = () => world.page.evaluate(() => document.activeElement?.id ?? "");
  const press = async (...keys: string[]) => {
    for (const key of keys) await world.page.keyboard.press(key);
  };

  /** Begins a chat and types into it what is to be asked. */
  async function typeInNewChat(text: string): Promise<void> {
    await press("Control+Shift+O");
    await world.page.getByText("What can I help with?").waitFor();
    await eventually(focused).toBe("composer");
    await world.page.keyboard.type(text);
  }

  /** Goes on with Tab until what has the focus is called that. */
  async function tabTo(name: RegExp, key = "Tab"): Promise<void> {
    const called = () =>
      world.page.evaluate(() => {
        const element = document.activeElement;
        return element?.getAttribute("aria-label") ?? element?.textContent ?? "";
      });
    for (let times = 0; times < 40; times += 1) {
      await press(key);
      if (name.test(await called())) return;
    }
    throw new Error(`Tab does not lead to ${name}`);
  }

  test("a chat is begun, asked in, and its trace is opened and closed", async () => {
    const { page } = world;
    await typeInNewChat("Are you there?");
    await press("Enter");
    await me.answered("Are you there?");
    await press("Control+.");
    const inspector = page.getByRole("complementary", { name: "Inspector" });
    await inspector.getByText("delivered").waitFor();
    await press("Control+.");
    await inspector.waitFor({ state: "detached" });
    await tabTo(/^How this answer came about/, "Shift+Tab");
    await press("Enter");
    await inspector.getByText("delivered").waitFor();
    await press("Control+.");
  });

  test("what was said is found, and the chat with it is opened", async () => {
    await typeInNewChat("Another matter");
    await press("Enter");
    await me.answered("Another matter");
    await press("Control+Shift+F");
    await eventually(focused).toBe("chat-search");
    await world.page.keyboard.type("are you");
    await me.list.getByRole("button", { name: /You: Are you there/ }).waitFor();
    await press("Enter");
    await eventually(me.title).toBe("Are you there?");
    await press("Escape");
    await me.chat("Another matter").waitFor();
  });

  test("a chat is renamed, deleted, and brought back", async () => {
    const { page } = world;
    await press("Control+Shift+F");
    await tabTo(/^Are you there\?$/);
    await press("F2");
    await page.getByRole("textbox", { name: "Title of the chat" }).waitFor();
    await page.keyboard.type("The first one");
    await press("Enter");
    await me.chat("The first one").waitFor();
    await press("Delete");
    await me.chat("The first one").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await press("F6");
    await tabTo(/^Undo$/);
    await press("Enter");
    await me.chat("The first one").waitFor();
    await eventually(me.title).toBe("The first one");
    expect(storedChats(world).map(({ title }) => title)).toContain("The first one");
  });

  test("settings are changed, and the palette runs what it is asked", async () => {
    const { page } = world;
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    await press("Control+,");
    const settings = page.getByRole("dialog", { name: "Settings" });
    await settings.waitFor();
    await page.keyboard.type("theme");
    await eventually(() => settings.getByRole("radiogroup").count()).toBe(1);
    await press("Tab");
    if ((await page.evaluate(() => document.activeElement?.getAttribute("type"))) !== "radio") await press("Tab");
    await press("ArrowRight", "ArrowRight");
    await eventually(theme).toBe("dark");
    await press("Escape");
    await settings.waitFor({ state: "detached" });
    await press("Control+k");
    await page.getByRole("combobox", { name: "Commands and chats" }).waitFor();
    await page.keyboard.type("theme light");
    await press("Enter");
    await eventually(theme).toBe("light");
    await press("Control+/");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  test("Shift+Enter makes a line, Enter sends all lines", async () => {
    await typeInNewChat("One line");
    await press("Shift+Enter");
    await world.page.keyboard.type("and another");
    await press("Enter");
    const [turn] = await eventuallyStored("One line");
    expect(turn?.inbound.text).toBe("One line\nand another");
  });

  async function eventuallyStored(title: string) {
    await eventually(() => storedTurns(world, title).length).toBe(1);
    return storedTurns(world, title);
  }

  test("what an input method composes is not sent by its Enter, also not by the one that ends it", async () => {
    const { page } = world;
    await typeInNewChat("");
    const session = await page.context().newCDPSession(page);
    await session.send("Input.imeSetComposition", { text: "ni hao", selectionStart: 6, selectionEnd: 6 });
    await eventually(() => me.box.inputValue()).toBe("ni hao");
    const enter = { key: "Enter", code: "Enter" };
    await session.send("Input.dispatchKeyEvent", { type: "rawKeyDown", windowsVirtualKeyCode: 13, ...enter });
    await session.send("Input.dispatchKeyEvent", { type: "keyUp", windowsVirtualKeyCode: 13, ...enter });
    await session.send("Input.imeSetComposition", { text: "你好", selectionStart: 2, selectionEnd: 2 });
    await session.send("Input.dispatchKeyEvent", { type: "rawKeyDown", windowsVirtualKeyCode: 229, ...enter });
    await session.send("Input.insertText", { text: "你好" });
    await session.send("Input.dispatchKeyEvent", { type: "keyUp", windowsVirtualKeyCode: 229, ...enter });
    await eventually(() => me.box.inputValue()).toBe("你好");
    expect(await page.getByRole("article").count()).toBe(0);
    await press("Enter");
    await me.answered("你好");
    expect(storedTurns(world, "你好")).toHaveLength(1);
  });

  test("slash commands are answered in the chat, and /new goes to a new one", async () => {
    const { page } = world;
    await typeInNewChat("/help");
    await press("Enter");
    await page.getByText("/stop").first().waitFor();
    await page.keyboard.type("/status");
    await press("Enter");
    await page.getByText("Running: 0").waitFor();
    await page.keyboard.type("/nonsense");
    await press("Enter");
    await me.turn("/nonsense").waitFor();
    await page.locator("[aria-busy=true]").waitFor({ state: "detached" });
    await page.keyboard.type("/new");
    await press("Enter");
    await page.getByText("What can I help with?").waitFor();
  });

  test("the console stays silent through all of this", () => expect(world.problems).toEqual([]));
});
