import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { HealthReport } from "../../src/shared/health.ts";
import { expectOpen } from "../support/access.ts";
import { launchChromium } from "../support/chromium.ts";
import { type OpenPage, type OpenPageOptions, openPage } from "../support/open-page.ts";
import { says } from "../support/scripted-provider.ts";
import { goodReport, rescuedReport, tellHealth } from "./told-health.ts";

let browser: Browser;
let opened: OpenPage;

beforeAll(async () => {
  browser = await launchChromium();
}, 60_000);
afterEach(async () => {
  const { problems } = opened;
  await opened.close();
  expect(problems).toEqual([]);
});
afterAll(() => browser.close());

async function start(report: HealthReport, options: OpenPageOptions = {}) {
  const told: ReturnType<typeof tellHealth>[] = [];
  opened = await openPage({
    browser,
    hasModel: true,
    afterwards: says("Yes."),
    before: async (app) => void told.push(tellHealth(app, report)),
    ...options,
  });
  const { page } = opened;
  page.setDefaultTimeout(10_000);
  await page.locator("#composer").waitFor();
  const [desk] = told;
  if (!desk) throw new Error("The page was opened without its desk.");
  return { page, desk };
}

const dialog = (page: Page) => page.getByRole("dialog", { name: "Health" });
const item = (page: Page, name: string) => dialog(page).getByRole("listitem").filter({ hasText: name });

test("the page of health is opened from the palette and from the settings, and says what was looked at", async () => {
  const { page } = await start(goodReport);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("health");
  await page.keyboard.press("Enter");
  await item(page, "Database").getByText("good").waitFor();
  expect(await item(page, "Disk space").textContent()).toMatch(/looked at .*84,210 MB are free/);
  expect(await item(page, "before an update").textContent()).toContain("7.9 MB");
  await dialog(page).getByText("2,431 messages · 8.4 MB · 84,210 MB free on the disk").waitFor();
  await expectOpen(opened.app, page);
  await page.keyboard.press("Escape");
  await dialog(page).waitFor({ state: "detached" });
  await page.keyboard.press("Control+,");
  await page.getByRole("searchbox").fill("health");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await dialog(page).waitFor();
});

test("a look at everything is shown while it goes on, and what is wrong comes with what to do", async () => {
  const { page, desk } = await start(goodReport);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("health");
  await page.keyboard.press("Enter");
  await dialog(page).getByRole("button", { name: "Check now" }).click();
  desk.tell({ checking: true });
  expect(await dialog(page).getByRole("button", { name: "Checking…" }).isDisabled()).toBe(true);
  desk.tell({ ...rescuedReport, checking: false });
  await dialog(page).getByRole("button", { name: "Check now" }).waitFor();
  expect(await item(page, "Backup").first().textContent()).toMatch(/bad.*could not be written.*Free some space/);
  expect(await item(page, "Search index").textContent()).toBe("Search indexnot looked at yet");
  await dialog(page).getByText("2,428 of 2,431 messages").waitFor();
  await dialog(page)
    .getByText(/the damaged file is kept: .*set-aside/)
    .waitFor();
  desk.refuse("health.backup", { code: "disk-full", message: "There is no room for a backup.", retryable: true });
  await dialog(page).getByRole("button", { name: "Back up now" }).click();
  await dialog(page).getByRole("alert").getByText("There is no room for a backup.").waitFor();
  expect(desk.asked).toContain("health.check");
  await expectOpen(opened.app, page);
});

test("a rescue is told on top of the window until somebody has read it", async () => {
  const { page } = await start(rescuedReport);
  const banner = page.getByRole("status").filter({ hasText: "Your database was damaged" });
  await banner.waitFor();
  expect(await banner.textContent()).toContain("2,428 of 2,431 messages were brought over");
  await expectOpen(opened.app, page);
  await banner.getByRole("button", { name: "Health" }).click();
  await dialog(page).waitFor();
  await page.keyboard.press("Escape");
  await banner.getByRole("button", { name: "Got it" }).click();
  await banner.waitFor({ state: "detached" });
});

test.each([
  { mode: "read-only", code: "data-newer", says: /from a newer Lares.*can be read, but nothing new can be kept/ },
  { mode: "none", code: "data-damaged", says: /damaged.*cannot be opened.*kept in memory only/ },
] as const)("storage that is $mode is told on top of the window, and for good", async ({ mode, code, says }) => {
  const error = { code, message: "Schema 9 is newer than 3.", retryable: false };
  const { page } = await start({ ...goodReport, storage: { mode, error } }, { viewport: { width: 320, height: 640 } });
  const banner = page.getByRole("status").filter({ hasText: "Health" });
  expect(await banner.textContent()).toMatch(says);
  expect(await banner.getByRole("button").count()).toBe(1);
  await expectOpen(opened.app, page);
});

test("a message that cannot be stored stays in the box with the reason, and goes out once it can be", async () => {
  const { page, desk } = await start(goodReport);
  const box = page.getByRole("textbox", { name: "Message" });
  desk.refuse("turns.send", { code: "disk-full", message: "Free 2 MB.", retryable: true });
  await box.fill("Do not lose me");
  await box.press("Enter");
  const alert = page.getByRole("alert");
  await alert.getByText("The disk is full.").waitFor();
  await alert.getByText("Your message is kept in the box.").waitFor();
  expect(await box.inputValue()).toBe("Do not lose me");
  await expectOpen(opened.app, page);
  desk.allow("turns.send");
  await alert.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("article").getByText("Do not lose me").waitFor();
  await page.getByText("Yes.").waitFor();
  expect([await box.inputValue(), await alert.count()]).toEqual(["", 0]);
});
