import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { channels, type World } from "../support/channels.ts";
import { launchChromium } from "../support/chromium.ts";
import { eventually } from "../support/person.ts";

// How Lares looks and speaks, on both channels, in two windows at once.

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
}, 60_000);
afterAll(() => browser.close());

describe.each(channels)("$name", ({ open }) => {
  let world: World;
  let pages: readonly Page[];
  beforeAll(async () => {
    world = await open(browser);
    pages = [world.page, await world.anotherWindow()];
    for (const page of pages) {
      page.setDefaultTimeout(15_000);
      await page.locator("#composer").waitFor();
    }
  }, 120_000);
  afterAll(() => world?.close());

  /** An attribute of the whole page, in every window. */
  const inAll = (name: string) =>
    eventually(() =>
      Promise.all(pages.map((page) => page.evaluate((name) => document.documentElement.getAttribute(name), name))),
    );
  const prefer = (colorScheme: "light" | "dark") =>
    Promise.all(pages.map((page) => page.emulateMedia({ colorScheme })));

  test("the theme follows the system until one is chosen, in every window and after a reload", async () => {
    const { page } = world;
    await inAll("data-theme").toEqual(["light", "light"]);
    await prefer("dark");
    await inAll("data-theme").toEqual(["dark", "dark"]);
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await background();

    await page.getByRole("button", { name: "Settings" }).click();
    const themes = page.getByRole("radiogroup", { name: "Theme" });
    await themes.getByText("Light").click();
    await inAll("data-theme").toEqual(["light", "light"]);
    expect(await background()).not.toBe(dark);
    for (const one of pages) await one.reload();
    await inAll("data-theme").toEqual(["light", "light"]);

    await page.getByRole("button", { name: "Settings" }).click();
    await themes.getByText("System").click();
    await inAll("data-theme").toEqual(["dark", "dark"]);
    await prefer("light");
    await inAll("data-theme").toEqual(["light", "light"]);
    await page.keyboard.press("Escape");
  });

  test("the language changes everywhere at once, is kept, and changes back", async () => {
    const [page, other] = pages as [Page, Page];
    await inAll("lang").toEqual(["en", "en"]);
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByText("简体中文", { exact: true }).click();
    await inAll("lang").toEqual(["zh-CN", "zh-CN"]);
    for (const one of pages) await one.getByText("有什么可以帮您？").waitFor();
    await page.reload();
    await page.getByPlaceholder("问点什么").waitFor();
    await inAll("lang").toEqual(["zh-CN", "zh-CN"]);

    await other.getByRole("button", { name: "设置" }).click();
    await other.getByText("English", { exact: true }).click();
    await inAll("lang").toEqual(["en", "en"]);
    for (const one of pages) await one.getByText("What can I help with?").waitFor();
  });

  test("the console stays silent through all of this", () => expect(world.problems).toEqual([]));
});
