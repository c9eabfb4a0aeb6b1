import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { launchChromium } from "../support/chromium.ts";
import { fakeProgram } from "../support/fake-program.ts";
import { type StandInHub, startHub } from "../support/hub.ts";
import { openPage } from "../support/open-page.ts";
import { temporaryFolder } from "../support/stored-turn.ts";
import { sayingModel } from "../support/tiny-models.ts";

let browser: Browser;
let tiny: Buffer = Buffer.alloc(0);
let folder = "";
const open: Array<{ close(): Promise<void> }> = [];

beforeAll(async () => {
  browser = await launchChromium();
  folder = mkdtempSync(join(tmpdir(), "lares-tiny-"));
  tiny = readFileSync(sayingModel(join(folder, "tiny.gguf"), ["Hello", " from", " afar."]));
}, 120_000);
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
  vi.unstubAllEnvs();
});

/** The models dialog of an empty home, beside a hub with one tiny model and one that nobody has room for. */
async function modelsDialog() {
  const hub: StandInHub = await startHub({
    "someone/Tiny-GGUF": { files: { "tiny-Q8_0.gguf": tiny }, licence: "mit", downloads: 1234 },
    "someone/Other-GGUF": { files: { "other-Q4_K_M.gguf": Buffer.concat([tiny, randomBytes(64)]) } },
  });
  open.push(hub);
  const programs = temporaryFolder();
  for (const pip of ["pip3", "pip", "python3"]) fakeProgram(programs, pip, "process.exitCode = 1;");
  vi.stubEnv("HF_ENDPOINT", hub.url);
  vi.stubEnv("LARES_MODEL_CACHE", temporaryFolder());
  vi.stubEnv("PATH", `${programs}${delimiter}${process.env.PATH}`);
  const opened = await openPage({ provider: null, browser, locale: "en-US" });
  open.push(opened);
  const { page } = opened;
  page.setDefaultTimeout(20_000);
  await page.getByRole("button", { name: "Look around first" }).click();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("Models");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Models" });
  await dialog.waitFor();
  return { ...opened, hub, dialog };
}

test("each model says how it fits, with the numbers, and what nobody here could try says so", async () => {
  const { dialog, problems } = await modelsDialog();
  const tiles = dialog.getByRole("listitem");
  expect(await tiles.count()).toBeGreaterThanOrEqual(12);
  await tiles.filter({ hasText: "SmolLM2 135M Instruct" }).getByText("fits well").waitFor();
  await tiles.filter({ hasText: "not tried by us" }).first().waitFor();
  await tiles
    .filter({ hasText: /of \d+.*memory · up to \d+k tokens fit/ })
    .first()
    .waitFor();
  await dialog.getByText("No model is loaded.").waitFor();
  await dialog.getByText(/Local mode is on\. A download that you ask for goes out/).waitFor();
  expect(problems).toEqual([]);
}, 60_000);

test("in Local mode a search goes out by its own click, is in the ledger, and what it found can be fetched, used and removed", async () => {
  const { app, page, dialog, hub, problems } = await modelsDialog();
  await dialog.getByRole("searchbox", { name: "Search the model hub" }).fill("tiny");
  expect(hub.requests).toEqual([]);
  await dialog.getByRole("button", { name: "Let this search out" }).click();
  const found = dialog.getByRole("region", { name: "Search the model hub" }).getByRole("listitem");
  const file = found.filter({ hasText: "tiny-Q8_0.gguf" });
  await file.getByText(/someone\/Tiny-GGUF · .* · Q8_0 · mit · 1234 downloads/).waitFor();
  expect(app.store.ledgerRows({ limit: 10 }).map(({ purpose }) => purpose)).toContain("hub-search");
  await file.getByRole("button", { name: "Get it: tiny-Q8_0.gguf" }).click();
  const tile = dialog.getByRole("listitem").filter({ has: page.getByRole("button", { name: /^Remove: tiny/i }) });
  await tile.waitFor();
  expect(app.store.ledgerRows({ limit: 10 }).map(({ purpose }) => purpose)).toContain("download");
  await tile.getByRole("button", { name: /^Remove: tiny/i }).click();
  await tile.getByText("Remove it from this computer?").waitFor();
  await tile.getByRole("button", { name: /^Remove: tiny/i }).click();
  await tile.waitFor({ state: "detached" });
  expect(problems).toEqual([]);
}, 60_000);

test("a download can be thrown away, and one that waits for others says so", async () => {
  const { app, page, dialog, hub, problems } = await modelsDialog();
  hub.fail({ dripMs: 200 }, { dripMs: 200 }, { dripMs: 200 });
  await dialog.getByRole("searchbox", { name: "Search the model hub" }).fill("gguf");
  await dialog.getByRole("button", { name: "Let this search out" }).click();
  const get = dialog.getByRole("button", { name: /^Get it: (tiny|other)-/ });
  await get.first().waitFor();
  for (const name of ["tiny-Q8_0.gguf", "other-Q4_K_M.gguf"])
    await dialog.getByRole("button", { name: `Get it: ${name}` }).click();
  const bar = page.getByRole("progressbar", { name: /^Download of other/i });
  await bar.waitFor();
  await dialog.getByRole("button", { name: /^Cancel: other/i }).click();
  await bar.waitFor({ state: "detached" });
  expect(app.desk).toBeDefined();
  expect(problems).toEqual([]);
}, 60_000);

test("a model file that is dropped on the page in a browser, which does not tell its path, is asked for it", async () => {
  const { page, dialog, problems } = await modelsDialog();
  const path = join(folder, "tiny.gguf");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["x"], "tiny.gguf"));
    window.dispatchEvent(new DragEvent("dragover", { dataTransfer, cancelable: true }));
    setTimeout(() => window.dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true })), 300);
  });
  await page.getByText("Drop a model file (.gguf) to look at it").waitFor();
  const field = dialog.getByRole("textbox", { name: /The browser does not say where tiny\.gguf lies/ });
  await field.fill(path);
  await field.press("Enter");
  await dialog.getByRole("button", { name: "Copy it into Lares" }).click();
  await dialog.getByRole("button", { name: /^Remove: tiny/i }).waitFor();
  expect(problems).toEqual([]);
}, 60_000);
