import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { cutOff, unreachable } from "../support/access.ts";
import { launchChromium } from "../support/chromium.ts";
import { type OpenPage, openPage } from "../support/open-page.ts";
import { calls, type ScriptStep, says } from "../support/scripted-provider.ts";

const usage = { inputTokens: 6700, reusedTokens: 1904, outputTokens: 100, firstTokenMs: 212, decodeMs: 2000 };
const wide = `| ${"A long head of a column | ".repeat(6)}\n|${"---|".repeat(6)}\n| ${"cell | ".repeat(6)}`;
const script: ScriptStep[][] = [
  [...calls({ name: "current_time", input: {} })],
  [
    { type: "text", text: `# A heading\n\nhttps://example.org/${"x".repeat(200)}\n\n${wide}\n\n` },
    { type: "text", text: `\`\`\`ts\n${"const much = 1; ".repeat(20)}\n\`\`\`\n\n${"Unbroken".repeat(60)}` },
    { type: "usage", usage },
    { type: "finish", reason: "stop" },
  ],
];

let browser: Browser;
let opened: OpenPage | undefined;

beforeAll(async () => {
  browser = await launchChromium();
}, 60_000);
afterEach(async () => {
  expect(opened?.problems).toEqual([]);
  await opened?.close();
});
afterAll(() => browser?.close());

/** Nothing sticks out, and whatever Tab comes to can be seen and pressed. */
async function expectReachable(page: Page, place: string): Promise<void> {
  expect.soft({ cutOff: await cutOff(page), unreachable: await unreachable(page) }, place).toEqual({
    cutOff: [],
    unreachable: [],
  });
}

async function leave(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

/** 640 × 400 is what is left of 1280 × 800 at 200 %. */
const sizes = [
  { name: "320 pixels wide", viewport: { width: 320, height: 640 } },
  { name: "zoomed to 200 %", viewport: { width: 640, height: 400 } },
] as const;

test.for(sizes)("$name, every screen fits, and all of it can be reached", async ({ viewport }) => {
  opened = await openPage({ browser, viewport, hasModel: true, script, afterwards: says("Yes.") });
  const { page } = opened;
  page.setDefaultTimeout(10_000);
  await page.getByText("What can I help with?").waitFor();
  await expectReachable(page, "an empty chat");
  await page.locator("#composer").fill("When does this lease end, and how much notice do I have to give?");
  await page.locator("#composer").press("Enter");
  await page.getByRole("table").waitFor();
  await page.getByRole("button", { name: "Try again" }).waitFor();
  await expectReachable(page, "an answer");
  await page.getByRole("button", { name: "Edit question" }).click();
  await page.getByText("Editing an earlier question").waitFor();
  await expectReachable(page, "an edit");
  await page.locator("#composer").press("Escape");

  for (const [place, keys] of [
    ["the chats", "Control+b"],
    ["the trace", "Control+."],
    ["the palette", "Control+k"],
    ["the settings", "Control+,"],
    ["the shortcuts", "Control+/"],
  ] as const) {
    await page.keyboard.press(keys);
    await page.getByRole("dialog").waitFor();
    await expectReachable(page, place);
    await leave(page);
  }
  await page.keyboard.press("Control+.");
  await page.getByRole("button", { name: "What was sent" }).click();
  await page.getByRole("tab", { name: "JSON" }).click();
  await expectReachable(page, "what was sent");
});

test.for(sizes)("$name, the first screen fits, and all of it can be reached", async ({ viewport }) => {
  opened = await openPage({ browser, viewport, provider: null });
  await opened.page.getByRole("button", { name: "Look around first" }).waitFor();
  await expectReachable(opened.page, "the first screen");
});
