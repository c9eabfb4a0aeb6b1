import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ModelEvent } from "../../src/shared/inference.ts";
import { launchChromium } from "../support/chromium.ts";
import { type OpenPage, openPage } from "../support/open-page.ts";
import { calls, type ScriptStep } from "../support/scripted-provider.ts";

const measured = (inputTokens: number): ModelEvent => ({
  type: "usage",
  usage: { inputTokens, reusedTokens: 1904, outputTokens: 100, firstTokenMs: 212, decodeMs: 2000 },
});

/** A model whose second request waits until it is let go. */
function heldModel() {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const [finish, ...asked] = calls({ name: "list_files", input: {} }, { name: "current_time", input: {} }).toReversed();
  const script: ScriptStep[][] = [
    [...asked.toReversed(), measured(2010), ...(finish ? [finish] : [])],
    [() => promise, { type: "text", text: "It ends in August." }, measured(6700), { type: "finish", reason: "stop" }],
    [{ type: "text", text: "Yes." }, measured(7900), { type: "finish", reason: "stop" }],
  ];
  return { script, release: () => resolve(undefined) };
}

let browser: Browser;
let opened: OpenPage;
let page: Page;
const model = heldModel();

beforeAll(async () => {
  browser = await launchChromium();
  opened = await openPage({ browser, script: model.script, workspace: import.meta.dirname });
  page = opened.page;
  page.setDefaultTimeout(10_000);
}, 60_000);
afterAll(async () => {
  await opened.close();
  await browser.close();
});

async function ask(text: string): Promise<void> {
  const box = page.getByRole("textbox", { name: "Message" });
  await box.fill(text);
  await box.press("Enter");
}

test("the trace is alive while a turn runs, and whole when it is over", async () => {
  await page.getByRole("button", { name: "Look around first" }).click();
  await ask("When does it end?");
  const strip = page.getByRole("button", { name: "Working: run. Show the trace." });
  await strip.waitFor();
  await strip.press("Enter");
  const trace = page.getByRole("complementary", { name: "Inspector" });
  await expect.poll(() => trace.locator("[aria-current=step]").textContent()).toContain("step 2");
  const text = (await trace.textContent())?.replaceAll("\u00a0", " ");
  expect(text).toContain("first token 212 ms · 1,904 of 2,010 tokens reused · 100 tokens · 50/s");
  expect(text).toContain("checkpoint tools_completed");
  expect(text).not.toContain("final_response");

  model.release();
  await trace.getByText("checkpoint final_response").waitFor();
  await trace.getByText("delivered").waitFor();
  await page.getByRole("button", { name: /^How this answer came about: run · 2 steps · / }).waitFor();
});

test("what was sent is shown to the letter, step by step", async () => {
  await page.getByRole("button", { name: "What was sent" }).click();
  const dialog = page.getByRole("dialog", { name: "What was sent" });
  await dialog.getByText("When does it end?").waitFor();
  await dialog.getByRole("combobox", { name: "Step" }).selectOption({ label: "step 2" });
  await dialog.getByText("result of current_time").waitFor();
  await dialog.getByRole("tab", { name: "JSON" }).click();
  const shown = (await dialog.getByRole("tabpanel", { name: "JSON" }).textContent()) ?? "";
  expect(JSON.parse(shown)).toMatchObject({ messages: opened.model.requests[1]?.messages });
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
});

test("a trace is saved as one file with everything that was sent", async () => {
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export JSON" }).click();
  const file = JSON.parse(readFileSync(await (await downloading).path(), "utf8"));
  expect(file).toMatchObject({
    format: "lares-trace",
    version: 1,
    turn: { stopReason: "completed" },
    requests: [{ number: 1, sent: { messages: expect.any(Array) } }, { number: 2 }],
  });
  expect(file.calls).toHaveLength(2);
});

test("the gauge warns when the window is nearly full, and any past trace can be opened", async () => {
  await page.getByRole("button", { name: "The model's window: 6.8k of 8k nearly full" }).waitFor();
  await ask("Sure?");
  await page.getByRole("button", { name: "The model's window: 8k of 8k full" }).waitFor();
  const trace = page.getByRole("complementary", { name: "Inspector" });
  await page.getByRole("button", { name: /2 steps/ }).click();
  await trace.getByText("step 2").waitFor();
  await trace.getByRole("button", { name: "Trace of the next answer" }).click();
  await trace.getByText("step 2").waitFor({ state: "detached" });
  expect(opened.problems).toEqual([]);
});
