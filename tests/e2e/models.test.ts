import { readFileSync } from "node:fs";
import { delimiter } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { launchChromium } from "../support/chromium.ts";
import { fakeProgram } from "../support/fake-program.ts";
import { type Answer, startFaultServer } from "../support/fault-server.ts";
import { type OpenPage, openPage } from "../support/open-page.ts";
import { starterModel } from "../support/starter.ts";
import { temporaryFolder } from "../support/stored-turn.ts";

const name = "SmolLM2 135M Instruct";
let browser: Browser;
let starter = "";
const open: Array<{ close(): Promise<void> }> = [];

beforeAll(async () => {
  starter = await starterModel();
  browser = await launchChromium();
}, 600_000);
afterAll(() => browser.close());
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
  vi.unstubAllEnvs();
});

/** The page of an empty home, where the model hub answers like this and nothing else can be reached. */
async function firstPage(answers: readonly Answer[]): Promise<OpenPage> {
  const hub = await startFaultServer(readFileSync(starter), answers);
  open.push(hub);
  const programs = temporaryFolder();
  const script = `process.stderr.write("NewConnectionError: no network"); process.exitCode = 1;`;
  for (const pip of ["pip3", "pip", "python3"]) fakeProgram(programs, pip, script);
  vi.stubEnv("HF_ENDPOINT", hub.url);
  vi.stubEnv("LARES_MODEL_CACHE", temporaryFolder());
  vi.stubEnv("PATH", `${programs}${delimiter}${process.env.PATH}`);
  const opened = await openPage({ provider: null, browser, locale: "en-US" });
  open.push(opened);
  opened.page.setDefaultTimeout(20_000);
  return opened;
}

test("three actions in an empty home: get it, type, Enter; and the model answers", async () => {
  const { page, problems } = await firstPage([{}]);
  await page.getByRole("button", { name: `Get it: ${name}` }).click();
  const box = page.getByRole("textbox", { name: "Message" });
  await box.fill("What is the capital of France?");
  await box.press("Enter");
  await page.getByRole("article").filter({ hasText: "Paris" }).first().waitFor();
  await page.getByRole("button", { name: `Model of this chat: Local · ${name}` }).waitFor();
  expect(problems).toEqual([]);
}, 120_000);

test("a download that was paused goes on after the page was loaded again", async () => {
  const { page, problems } = await firstPage([{ dripMs: 400 }, {}]);
  await page.getByRole("button", { name: `Get it: ${name}` }).click();
  await page.getByText(/^[1-9]\d? of 98\sMB/).waitFor();
  await page.getByRole("button", { name: `Pause: ${name}` }).click();
  const paused = page.getByText(/^\d+ of 98\sMB · paused/);
  const shown = await paused.textContent();
  await page.reload();
  expect(await paused.textContent()).toBe(shown);
  const bar = page.getByRole("progressbar", { name: `Download of ${name}` });
  expect(Number(await bar.getAttribute("aria-valuenow"))).toBeGreaterThan(0);
  await page.getByRole("button", { name: `Resume: ${name}` }).click();
  await page.getByRole("textbox", { name: "Message" }).waitFor();
  expect(problems).toEqual([]);
}, 60_000);

test("a download that fails says why, and can be tried again", async () => {
  const { page, problems } = await firstPage([{ status: 404 }, {}]);
  await page.getByRole("button", { name: `Get it: ${name}` }).click();
  await page.getByRole("alert").filter({ hasText: "404" }).waitFor();
  await page.getByRole("button", { name: `Try again: ${name}` }).click();
  await page.getByRole("textbox", { name: "Message" }).waitFor();
  expect(problems).toEqual([]);
}, 60_000);

test("a file is explained by its path and used where it is; a wrong path is said so and can be put right", async () => {
  const { page, problems } = await firstPage([{}]);
  await page.getByRole("button", { name: "Use a file I have" }).click();
  const path = page.getByRole("textbox", { name: "The path of a .gguf file on this computer" });
  await path.fill("/nowhere/at-all.gguf");
  await path.press("Enter");
  await page.getByRole("alert").filter({ hasText: "/nowhere/at-all.gguf" }).waitFor();
  await path.fill(starter);
  await path.press("Enter");
  const facts = page.getByRole("region", { name: /^This file is SmolLM2/i });
  await facts.getByText(/135\sM parameters · Q4_1 · 8k window · calls no tools · 98\sMB/).waitFor();
  await facts.getByRole("button", { name: "Use it where it is" }).click();
  await page.getByRole("button", { name: /^Model of this chat: Local · SmolLM2/ }).waitFor();
  expect(problems).toEqual([]);
}, 60_000);
