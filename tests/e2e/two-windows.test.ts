import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aGate } from "../support/desk.ts";
import { type OpenPage, openPage } from "../support/open-page.ts";
import { calls, type ScriptStep, says } from "../support/scripted-provider.ts";

/** Two cores are shared by many: what happens soon may take a while. */
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 10_000, interval: 10 });

const WORDS = 300;
const gates = [aGate(), aGate(), aGate(), aGate()] as const;
const [afterThought, afterTool, atThird, atStop] = gates;

/** Words with a little time between them. */
const spoken = (from: number, to: number): ScriptStep[] =>
  Array.from({ length: to - from }, (_, index): ScriptStep[] => [
    { wait: 3 },
    { type: "text", text: `w${from + index} ` },
  ]).flat();
const finish: ScriptStep = { type: "finish", reason: "stop" };

let opened: OpenPage;
let first: Page;
let second: Page;

beforeAll(async () => {
  opened = await openPage({
    hasModel: true,
    script: [
      [
        { type: "reasoning", text: "I look at the clock." },
        afterThought.step,
        ...calls({ name: "current_time", input: {} }),
      ],
      [afterTool.step, ...spoken(0, WORDS / 2), atThird.step, ...spoken(WORDS / 2, WORDS), finish],
      [...spoken(0, 20), atStop.step, finish],
    ],
    afterwards: says("Yes."),
    before: async (app) => {
      app.store.setSetting("theme", "light");
    },
  });
  first = opened.page;
  await type(first, "/help");
  await first.getByRole("article").waitFor();
  second = await opened.another();
  await second.getByRole("article").waitFor();
  for (const page of [first, second]) page.setDefaultTimeout(10_000);
}, 60_000);
afterAll(() => opened?.close());

async function type(page: Page, text: string): Promise<void> {
  await page.locator("#composer").fill(text);
  await page.locator("#composer").press("Enter");
}

const both = () => [first, second] as const;
const inBoth = (see: (page: Page) => Promise<unknown>) => Promise.all(both().map(see));
const row = (page: Page, title: string) =>
  page.getByRole("navigation", { name: "Chats" }).getByRole("button", { name: new RegExp(`^${title}`) });
const last = (page: Page) => page.getByRole("article").last();
const conversationOf = (page: Page) => page.getByRole("region", { name: "Conversation" }).textContent();
const answerOf = (page: Page) => last(page).locator("[aria-busy] > div > p").textContent();

/** From now on each page notes when its answer had how many words. */
async function watch(page: Page): Promise<void> {
  await page.evaluate(() => {
    const seen: [words: number, at: number][] = [];
    Object.assign(window, { seen });
    const look = () => {
      const text =
        [...document.querySelectorAll("article:last-of-type [aria-busy] > div > p")].at(-1)?.textContent ?? "";
      const words = text.split(/\s+/).filter((word) => /^w\d+$/.test(word)).length;
      if (words > (seen.at(-1)?.[0] ?? 0)) seen.push([words, Date.now()]);
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
}
const seenIn = (page: Page) => page.evaluate(() => (window as unknown as { seen: [number, number][] }).seen);

/** How long one page was behind the other, milliseconds, for each number of words that both had. */
function lags(one: [number, number][], other: [number, number][]): number[] {
  const at = (list: [number, number][], words: number) => list.find(([count]) => count >= words)?.[1] ?? Number.NaN;
  return Array.from({ length: WORDS }, (_, index) => Math.abs(at(one, index + 1) - at(other, index + 1)));
}

test("what one window asks, both show: thought, tool, words, end; and a third that comes in the middle too", async ({
  annotate,
}) => {
  await inBoth(watch);
  await type(first, "What time is it?");
  await inBoth((page) => last(page).getByText("What time is it?").waitFor());
  await inBoth((page) => last(page).getByText("Thinking…").waitFor());
  await inBoth((page) => page.getByRole("button", { name: "Stop (Esc)" }).waitFor());
  await inBoth((page) => row(page, "What time is it").getByText("answering").waitFor({ state: "attached" }));
  afterThought.open();
  await inBoth((page) => last(page).getByText("current_time").waitFor());
  await inBoth((page) => last(page).locator("summary").getByText("done").waitFor());
  afterTool.open();

  await atThird.reached;
  const third = await opened.another();
  await eventually(() => answerOf(third)).toMatch(new RegExp(`^w0 w1 .* w${WORDS / 2 - 1}$`));
  atThird.open();
  await inBoth((page) => last(page).getByRole("button", { name: "Try again" }).waitFor());
  await last(third).getByRole("button", { name: "Try again" }).waitFor();

  const shown = await conversationOf(first);
  expect(shown).toContain(Array.from({ length: WORDS }, (_, index) => `w${index}`).join(" "));
  expect(await conversationOf(second)).toBe(shown);
  expect(await conversationOf(third)).toBe(shown);
  await third.context().close();

  const sorted = lags(await seenIn(first), await seenIn(second)).sort((a, b) => a - b);
  await annotate(`two windows apart: median ${sorted[WORDS / 2]} ms, worst ${sorted.at(-1)} ms`);
});

test("a stop in one window ends the answer in the other, which shows the same words", async () => {
  await type(second, "Count");
  await atStop.reached;
  await inBoth((page) => last(page).getByText("w19").waitFor());
  await first.getByRole("button", { name: "Stop (Esc)" }).click();
  atStop.open();
  await inBoth((page) => last(page).getByText("You stopped this answer.").waitFor());
  expect(await conversationOf(second)).toBe(await conversationOf(first));
});

test("an asked-again question, a rename, a pin and the theme reach the other window", async () => {
  await last(second).getByRole("button", { name: "Edit question" }).click();
  await type(second, "Count again");
  await inBoth((page) => last(page).getByText("Version 2 of 2").waitFor({ state: "attached" }));
  await last(first).getByRole("button", { name: "Previous version" }).click();
  await inBoth((page) => last(page).getByText("You stopped this answer.").waitFor());

  await row(first, "What time is it").press("F2");
  await first.keyboard.type("Clock");
  await first.keyboard.press("Enter");
  await inBoth((page) => page.getByRole("heading", { level: 1, name: "Clock" }).waitFor());
  await row(second, "Clock").click({ button: "right" });
  await second.getByRole("menuitem", { name: "Pin", exact: true }).click();
  await inBoth((page) => page.getByRole("heading", { name: "Pinned" }).waitFor());

  await second.keyboard.press("Control+,");
  await second.getByRole("dialog").getByText("Dark", { exact: true }).click();
  const themes = () => inBoth((page) => page.evaluate(() => document.documentElement.dataset.theme));
  await eventually(themes).toEqual(["dark", "dark"]);
  await second.keyboard.press("Escape");
});

test("a chat that is deleted in one window is gone in the other, and both come back with it", async () => {
  await row(first, "Clock").press("Delete");
  await inBoth((page) => row(page, "Clock").waitFor({ state: "detached" }));
  await inBoth((page) => page.getByRole("heading", { level: 1, name: "New chat" }).waitFor());
  await first.getByRole("button", { name: "Undo" }).click();
  await inBoth((page) => row(page, "Clock").waitFor());
  await row(second, "Clock").click();
  await eventually(() => conversationOf(second)).toBe(await conversationOf(first));
  expect(opened.problems).toEqual([]);
});
