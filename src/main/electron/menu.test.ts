import type { MenuItemConstructorOptions } from "electron";
import { expect, test } from "vitest";
import { languages } from "../../shared/words/index.ts";
import { createSpeech } from "./language.ts";
import { menuTemplate, trayTemplate } from "./menu.ts";

const nothing = () => undefined;
const actions = { newChat: nothing, newWindow: nothing, show: nothing, quit: nothing };

type Item = MenuItemConstructorOptions;
const all = (items: readonly Item[]): Item[] =>
  items.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? all(item.submenu) : [])]);

const place = { developing: false, platform: "linux" as NodeJS.Platform };
const menu = (language: "en" | "zh-CN", more: Partial<typeof place> = {}) =>
  all(menuTemplate({ say: createSpeech(language).say, ...place, ...more }, actions));

test.each(languages)("every item of the menus has words in %s, and does something", (language) => {
  const items = [
    ...menu(language, { platform: "darwin" }),
    ...menu(language),
    ...all(trayTemplate(createSpeech(language).say, actions)),
  ];
  const named = items.filter(({ type }) => type !== "separator");
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ label, role, click, submenu }) => !label || !(role || click || submenu))).toEqual([]);
});

test("the menu is in Chinese for a person who reads Chinese", () => {
  expect(menu("zh-CN").map(({ label }) => label)).toContain("新对话");
});

test("no two items have the same keys", () => {
  const keys = menu("en").flatMap(({ accelerator }) => accelerator ?? []);
  expect(keys.length).toBeGreaterThan(1);
  expect(new Set(keys).size).toBe(keys.length);
});

test("developer tools are offered to whoever works on Lares, and to nobody else", () => {
  const roles = (developing: boolean) => menu("en", { developing }).map(({ role }) => role);
  expect(roles(true)).toContain("toggleDevTools");
  expect(roles(false)).not.toContain("toggleDevTools");
});

test("a Mac has quitting in the application's own menu, others in the first one", () => {
  const first = (platform: NodeJS.Platform) => {
    const [menu] = menuTemplate({ say: createSpeech("en").say, ...place, platform }, actions);
    return [menu?.label, all([menu ?? {}]).some(({ role }) => role === "quit")];
  };
  expect([first("darwin"), first("win32")]).toEqual([
    ["Lares", true],
    ["File", true],
  ]);
});
