import type { Page } from "playwright-core";
import type { Catalogue, Language } from "../../src/shared/words/index.ts";
import { question, searched } from "./scene.ts";

/** One screen, and how a person gets to it. */
export interface Screen {
  readonly name: string;
  /** A new computer: no model, no chat. */
  readonly isNew?: true;
  prepare(page: Page, words: Catalogue, language: Language): Promise<void>;
}

const isWide = (page: Page): boolean => (page.viewportSize()?.width ?? 0) >= 900;

/** A new chat with the question of the scene, answered. */
async function talk(page: Page, words: Catalogue, language: Language): Promise<void> {
  const box = page.getByRole("textbox", { name: words.conversation.message, exact: true });
  await box.waitFor();
  await page.keyboard.press("Control+Shift+O");
  await page.getByText(words.conversation.emptyTitle).waitFor();
  await box.fill(question[language]);
  await box.press("Enter");
  await page.getByRole("table").waitFor();
  await page.getByRole("button", { name: words.conversation.tryAgain }).first().waitFor();
}

async function openSide(page: Page, words: Catalogue): Promise<void> {
  if (!isWide(page)) await page.getByRole("button", { name: words.conversation.showChats }).click();
}

export const screens: readonly Screen[] = [
  {
    name: "first-run",
    isNew: true,
    prepare: (page) => page.getByRole("heading", { level: 1 }).waitFor(),
  },
  {
    name: "talk",
    async prepare(page, words, language) {
      await talk(page, words, language);
      if (!isWide(page)) return;
      await page.getByRole("button", { name: words.conversation.trace, exact: true }).click();
      await page.getByText("final_response").waitFor();
    },
  },
  {
    name: "trace",
    async prepare(page, words, language) {
      await talk(page, words, language);
      await page.getByRole("button", { name: words.conversation.trace, exact: true }).click();
      await page.getByRole("button", { name: words.trace.sent }).click();
      await page.getByRole("dialog").last().waitFor();
    },
  },
  {
    name: "chats",
    async prepare(page, words) {
      await openSide(page, words);
    },
  },
  {
    name: "search",
    async prepare(page, words, language) {
      await openSide(page, words);
      await page.getByRole("textbox", { name: words.chats.search }).fill(searched[language]);
      await page.locator("mark").first().waitFor();
    },
  },
  {
    name: "palette",
    async prepare(page) {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "settings",
    async prepare(page) {
      await page.keyboard.press("Control+,");
      await page.getByRole("dialog").waitFor();
    },
  },
];
