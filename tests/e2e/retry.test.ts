import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { AppError } from "../../src/shared/errors.ts";
import { expectOpen } from "../support/access.ts";
import { launchChromium } from "../support/chromium.ts";
import { type OpenPage, openPage } from "../support/open-page.ts";
import { type ScriptStep, says } from "../support/scripted-provider.ts";

let browser: Browser;
let opened: OpenPage;

beforeAll(async () => {
  browser = await launchChromium();
}, 60_000);
afterEach(async () => {
  const { problems, app } = opened;
  const found = app.store.check();
  await opened.close();
  expect([problems, found]).toEqual([[], []]);
});
afterAll(() => browser.close());

const busy: ScriptStep[] = [new AppError("overloaded", "Example has no room just now.", undefined, 60_000)];

async function ask(script: ReadonlyArray<readonly ScriptStep[]>): Promise<Page> {
  opened = await openPage({ browser, script, hasModel: true });
  const { page } = opened;
  page.setDefaultTimeout(10_000);
  await page.locator("#composer").fill("What is the capital of France?");
  await page.locator("#composer").press("Enter");
  return page;
}

test("a wait is shown with its reason and counted down; whoever does not want to wait asks at once", async () => {
  const page = await ask([busy, says("Paris.")]);
  const turn = page.getByRole("article");
  await turn.getByText("The model's side has no room just now").waitFor();
  const left = async () => Number(/in (\d+) s \(try 2 of 4\)/.exec((await turn.textContent()) ?? "")?.[1]);
  const first = await left();
  await expect.poll(left).toBeLessThan(first);
  await expectOpen(opened.app, page);
  await turn.getByRole("button", { name: "Try now" }).click();
  await turn.getByText("Paris.").waitFor();
  expect(await turn.getByText("Trying again").count()).toBe(0);
});

test("a page that is opened meanwhile shows the wait too, and its Stop ends it", async () => {
  const page = await ask([busy]);
  await page.getByText("Trying again in").waitFor();
  await page.reload();
  const turn = page.getByRole("article");
  await turn.getByText("Trying again in").waitFor();
  await turn.getByRole("button", { name: "Stop", exact: true }).click();
  await turn.getByText("You stopped this answer.").waitFor();
  expect(await turn.getByText("Trying again").count()).toBe(0);
});
