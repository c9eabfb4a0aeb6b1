import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { modelsFolder } from "../../src/main/models/folders.ts";
import { openWindow } from "../electron/window.ts";
import { builtApp } from "../support/built-app.ts";
import { storedChats, storedTurns } from "../support/channels.ts";
import { launchChromium } from "../support/chromium.ts";
import { aPerson, eventually } from "../support/person.ts";
import { sayingModel } from "../support/tiny-models.ts";

// The process behind the page dies as in a power cut, on both channels; then Lares is started again.

/** What the model says: so much that it is never done before it is killed. */
const counted = Array.from({ length: 900 }, (_, at) => ` ${at + 1}`);

let browser: Browser;
let dataFolder: string;
const ends: Array<() => unknown> = [];
beforeAll(async () => {
  browser = await launchChromium();
}, 60_000);
afterAll(() => browser.close());
beforeEach(() => {
  dataFolder = mkdtempSync(join(tmpdir(), "lares-killed-"));
  mkdirSync(modelsFolder(dataFolder), { recursive: true });
  sayingModel(join(modelsFolder(dataFolder), "Counting.gguf"), counted, { layers: 24 });
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  rmSync(dataFolder, { recursive: true, force: true });
});

interface Running {
  readonly page: Page;
  kill(): Promise<unknown>;
}

/** `lares serve`, and its page. */
async function serve(): Promise<Running> {
  const cli = join(await builtApp(), "out", "main", "cli.js");
  const env = { ...process.env, LARES_HOME: dataFolder };
  const child = spawn(process.execPath, [cli, "serve"], { env, stdio: ["pipe", "pipe", "ignore"] });
  const ended = once(child, "exit");
  ends.push(() => {
    child.kill("SIGKILL");
    return ended;
  });
  let said = "";
  child.stdout.setEncoding("utf8");
  for await (const text of child.stdout.iterator({ destroyOnReturn: false })) {
    said += text;
    if (/#t=\S+\s/.test(said)) break;
  }
  child.stdout.resume();
  const page = await browser.newPage({ locale: "en-US" });
  await page.goto(/http:\S+/.exec(said)?.[0] ?? "");
  return {
    page,
    kill() {
      child.kill("SIGKILL");
      return ended;
    },
  };
}

async function showWindow(): Promise<Running> {
  const opened = await openWindow({ home: dataFolder, browser });
  ends.push(() => opened.kill());
  return opened;
}

/** A question is there: in its turn, or as a draft over the box where the turn had not come so far. */
const questionIn = (page: Page) =>
  page.locator("article, [aria-label='Waiting messages']").getByText("Count for me", { exact: true });

describe.each([
  { name: "in a browser", start: serve },
  { name: "in the window", start: showWindow },
])("$name", ({ start }) => {
  const draft = () => storedChats({ dataFolder })[0]?.draft ?? "";

  test("a draft that was typed before is there again, at most its last words are lost", async () => {
    const first = await start();
    const before = aPerson(first.page);
    await before.ask("Count for me");
    await before.box.pressSequentially("This was typed a moment ago");
    await eventually(draft).toBe("This was typed a moment ago");
    await before.box.pressSequentially(", this just now");
    await first.kill();

    const second = await start();
    const after = aPerson(second.page);
    await questionIn(second.page).waitFor();
    await eventually(() => after.box.inputValue()).toMatch(/^This was typed a moment ago/);
    expect("This was typed a moment ago, this just now").toContain(await after.box.inputValue());
  }, 60_000);

  test("a message that was sent is no draft any more", async () => {
    const first = await start();
    const before = aPerson(first.page);
    await before.ask("Count for me");
    await before.box.fill("And then sing");
    await eventually(draft).toBe("And then sing");
    await before.box.press("Enter");
    await eventually(() => storedChats({ dataFolder })[0]?.waiting.length).toBe(1);
    await first.kill();

    const second = await start();
    const after = aPerson(second.page);
    await questionIn(second.page).waitFor();
    expect([draft(), await after.box.inputValue()]).toEqual(["", ""]);
  }, 60_000);

  test("what was written of an answer is there again, said to be cut off, and can be asked anew", async () => {
    const first = await start();
    const before = aPerson(first.page);
    await before.ask("Count for me");
    await before.answer("Count for me").filter({ hasText: "1 2 3 4 5 6 7 8" }).waitFor();
    await eventually(() => JSON.stringify(storedTurns({ dataFolder }, "Count for me")[0]?.rows)).toContain("1 2 3");
    await first.kill();

    const second = await start();
    const after = aPerson(second.page);
    const turn = after.turn("Count for me");
    await turn.getByRole("heading", { name: "Interrupted" }).waitFor();
    const shown = (await after.answer("Count for me").textContent()) ?? "";
    expect(shown).toMatch(/^1 2 3/);
    expect(counted.join("").trim().startsWith(shown)).toBe(true);
    await turn.locator("section").getByRole("button", { name: "Dismiss" }).click();
    await turn.getByText("This answer was interrupted, and left as it is.").waitFor();
    await turn.getByRole("button", { name: "Try again" }).click();
    await eventually(() => storedTurns({ dataFolder }, "Count for me")[0]?.variants.length).toBe(2);
  }, 60_000);
});
