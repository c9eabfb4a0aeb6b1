import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import Sqlite from "better-sqlite3";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createApp } from "../../src/main/app.ts";
import { serveBrowser } from "../../src/main/channels/browser.ts";
import { silentLog } from "../../src/main/lib/log.ts";
import { exitCodes } from "../../src/shared/exit-codes.ts";
import { builtApp } from "../support/built-app.ts";
import { launchChromium } from "../support/chromium.ts";
import { openPage } from "../support/open-page.ts";
import { says, scriptedProvider } from "../support/scripted-provider.ts";

let browser: Browser;
let dataFolder = "";

beforeAll(async () => {
  browser = await launchChromium();
}, 60_000);
afterAll(() => browser?.close());
beforeEach(() => {
  dataFolder = mkdtempSync(join(tmpdir(), "lares-bad-"));
});
afterEach(() => rmSync(dataFolder, { recursive: true, force: true }));

const box = (page: Page) => page.locator("#composer");
const list = (page: Page) => page.getByRole("navigation", { name: "Chats" });
const over = (page: Page) => page.getByRole("alert").getByText("This page belongs to a Lares that has ended");

test("an address that was used before, and a page of a Lares that was started again, say what to do", async () => {
  const opened = await openPage({ browser, hasModel: true });
  const { page, app, channel } = opened;
  await box(page).waitFor();
  const stale = channel.issueAddress();
  for (const isUsed of [false, true]) {
    const context = await browser.newContext({ locale: "en-US" });
    const other = await context.newPage();
    await other.goto(stale);
    await (isUsed ? over(other) : box(other)).waitFor();
    await context.close();
  }

  const { port } = channel;
  await channel.close();
  const pageFolder = join(await builtApp(), "out", "renderer");
  const next = await serveBrowser({ desk: app.desk, pageFolder, port, log: silentLog });
  expect(next.port).toBe(port);
  await over(page).waitFor();
  await page.getByText("Start Lares again, or press Enter in its terminal").waitFor();
  await page.reload();
  await over(page).waitFor();
  await next.close();
  await opened.close();
});

test("a second Lares on the same data says so and ends with its own code; the first goes on", async () => {
  const opened = await openPage({ browser, hasModel: true, dataFolder, afterwards: says("Still here.") });
  const cli = join(await builtApp(), "out", "main", "cli.js");
  const second = spawn(process.execPath, [cli, "serve", "--wait", "0"], {
    env: { ...process.env, LARES_HOME: dataFolder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, aside, [code]] = await Promise.all([
    readAll(second.stdout),
    readAll(second.stderr),
    once(second, "exit"),
  ]);
  expect({ out, code }).toEqual({ out: "", code: exitCodes.busy });
  expect(aside).toMatch(/Lares is open already[\s\S]*shows no page in a browser\. Use it where it is/);
  await box(opened.page).fill("Are you there?");
  await box(opened.page).press("Enter");
  await opened.page.getByRole("article").getByText("Still here.").waitFor();
  await opened.close();
});

/** A data folder with one chat, which was closed. */
async function aChat(...names: readonly string[]): Promise<void> {
  const provider = scriptedProvider(names.map((name) => says(`${name} answer.`)));
  const app = await createApp({ dataFolder, workspace: tmpdir(), provider });
  for (const name of names) {
    app.bus.ask({ id: name, channel: "window", sessionId: "chat", text: `${name} question` });
    await app.idle();
  }
  await app.close();
}

const stored = '[{"type":"text","text":"Second answer."}]';

test.for([
  { what: "a bracket", damaged: stored.replace("[", "(") },
  { what: "the kind of a part", damaged: stored.replace('"text"', '"tExt"') },
  { what: "the name of a field", damaged: stored.replace('"type"', '"tYpe"') },
])(
  "one letter of a row is another, in $what: the row says so, and the rest of the chat is there",
  async ({ damaged }) => {
    await aChat("First", "Second", "Third");
    const file = join(dataFolder, "lares.db");
    const bytes = readFileSync(file);
    bytes.write(damaged, bytes.indexOf(stored));
    writeFileSync(file, bytes);

    const opened = await openPage({ browser, hasModel: true, dataFolder, afterwards: says("Going on.") });
    const { page } = opened;
    await list(page).getByRole("button", { name: "First question", exact: true }).click();
    await page.getByRole("article").nth(2).waitFor();
    const shown = await page.getByRole("region", { name: "Conversation" }).textContent();
    for (const text of ["First answer.", "Second question", "Third answer."]) expect(shown).toContain(text);
    expect(shown).not.toContain("Second answer.");
    expect(shown).toMatch(/Message \d+ is damaged on the disk and cannot be shown\./);
    await box(page).fill("And now?");
    await box(page).press("Enter");
    await page.getByRole("article").getByText("Going on.").waitFor();
    expect(opened.problems).toEqual([]);
    await opened.close();
  },
);

test("of 10,000 chats the first and the last are opened, found and named", async () => {
  await aChat("First");
  const database = new Sqlite(join(dataFolder, "lares.db"));
  database.exec(`
    WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 9999)
    INSERT INTO session (id, title, created_at, updated_at) SELECT 'many-' || n, 'Chat number ' || n, n, n FROM number`);
  database.close();
  const opened = await openPage({ browser, hasModel: true, dataFolder, afterwards: says("Here.") });
  const { page } = opened;
  page.setDefaultTimeout(20_000);
  const row = (title: string) => list(page).getByRole("button", { name: title, exact: true });
  await row("First question").focus();
  await page.keyboard.press("End");
  await row("Chat number 1").press("Enter");
  await page.getByRole("heading", { level: 1, name: "Chat number 1", exact: true }).waitFor();
  expect(await list(page).locator("[data-chat]").count()).toBeLessThan(100);
  await box(page).fill("Are you there?");
  await box(page).press("Enter");
  await page.getByRole("article").getByText("Here.").waitFor();
  await row("Chat number 1").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Commands and chats" }).fill("number 5000");
  await page.getByRole("option", { name: "Chat number 5000", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Chat number 5000" }).waitFor();
  expect(opened.problems).toEqual([]);
  await opened.close();
});
