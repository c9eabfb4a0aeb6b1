import { randomBytes } from "node:crypto";
import type { Page } from "playwright-core";
import type { Catalogue } from "../../src/shared/words/index.ts";
import { type StandInHub, startHub } from "../support/hub.ts";

/** Bytes of the file that is seen on its way. */
const BYTES = 48_000_000;
const writer = "story-writer-1b-Q4_K_M.gguf";

/** A hub with two models to be found, one of them slow enough for a picture. */
export async function picturesHub(): Promise<StandInHub> {
  const hub = await startHub({
    "someone/Story-Writer-GGUF": { files: { [writer]: randomBytes(BYTES) }, licence: "apache-2.0", downloads: 120_345 },
    "someone/Poems-GGUF": { files: { "poems-0.5b-Q8_0.gguf": randomBytes(600_000) }, licence: "mit" },
  });
  process.env.HF_ENDPOINT = hub.url;
  process.env.LARES_MODEL_CACHE = "/nonexistent";
  return hub;
}

/** What a search of the hub has found. */
export async function foundModels(page: Page, words: Catalogue): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.keyboard.type(words.app.commandModels);
  await page.keyboard.press("Enter");
  const field = page.getByRole("searchbox", { name: words.models.search });
  await field.fill("gguf");
  await field.press("Enter");
  const files = page.getByRole("region", { name: words.models.search }).getByRole("listitem");
  await files.last().waitFor();
  await files.last().scrollIntoViewIfNeeded();
}

/** The list of models with one on its way. */
export async function modelsWithDownload(page: Page, words: Catalogue, hub: StandInHub): Promise<void> {
  hub.fail({ dripMs: 2000 });
  await foundModels(page, words);
  await page.getByRole("button", { name: new RegExp(`^${words.models.get}.*${writer}$`) }).click();
  const bar = page.getByRole("progressbar");
  await bar.waitFor();
  await page.waitForTimeout(2500); // until there is a speed to be told
  await bar.scrollIntoViewIfNeeded();
}
