import type { Page } from "playwright-core";
import type { App } from "../../src/main/app.ts";
import type { Store } from "../../src/main/db/store.ts";
import type { Catalogue, Language } from "../../src/shared/words/index.ts";
import { rescuedReport, tellHealth } from "../e2e/told-health.ts";
import type { StandInHub } from "../support/hub.ts";
import type { ScriptStep } from "../support/scripted-provider.ts";
import { busyScript, joinedScript, leftByCrash, said } from "./care-scene.ts";
import { cloudDialog, consent, ledger, twoConnections, wentOut } from "./cloud-scene.ts";
import { foundModels, modelsWithDownload } from "./models-scene.ts";
import { otherChats, question, searched } from "./scene.ts";

/** One screen, and how a person gets to it. */
export interface Screen {
  readonly name: string;
  /** A new computer: no model, no chat. */
  readonly isNew?: true;
  /** Of the window, pixels; without it, 800. */
  readonly height?: number;
  /** What the model does; without it, the other chats and the lease. */
  readonly script?: (language: Language) => ScriptStep[][];
  /** What is in the store before the app starts. */
  readonly left?: (store: Store, language: Language) => void;
  /** What is done before the page is opened; without it, the other chats are had. */
  readonly before?: (app: App, language: Language) => Promise<void> | void;
  prepare(page: Page, words: Catalogue, language: Language, hub: StandInHub): Promise<void>;
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

/** Says it in the chat that is open, and waits until the answer has begun. */
async function begin(page: Page, text: string, language: Language): Promise<void> {
  await page.locator("#composer").fill(text);
  await page.locator("#composer").press("Enter");
  await page.getByText(said[language].begun).waitFor();
}

const health = async (page: Page, words: Catalogue): Promise<void> => {
  await page.keyboard.press("Control+k");
  await page.keyboard.type(words.app.commandHealth);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: words.care.backups, exact: true }).waitFor();
};

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
  {
    name: "cards",
    height: 1_500,
    left: leftByCrash,
    before: () => undefined,
    async prepare(page, words, language) {
      await page.getByText(said[language].half).waitFor();
      await page.getByRole("heading", { name: words.care.unknown }).waitFor();
    },
  },
  {
    name: "follow-ups",
    script: busyScript,
    before: () => undefined,
    async prepare(page, words, language) {
      const { goal, deposit, translate } = said[language];
      await begin(page, `/goal ${goal}`, language);
      const box = page.locator("#composer");
      const chips = page.getByRole("list", { name: words.conversation.waiting }).getByRole("listitem");
      for (const text of [deposit, translate]) {
        await box.fill(text);
        await box.press("Enter");
        await chips.filter({ hasText: text }).waitFor();
      }
      await chips.filter({ hasText: translate }).getByRole("button").first().click();
      await page.reload();
      await page.getByText(words.conversation.queued).waitFor();
    },
  },
  {
    name: "pins",
    script: (language) => joinedScript(language),
    before: () => undefined,
    async prepare(page, words, language) {
      await begin(page, question[language], language);
      await page.locator("#composer").fill(said[language].deposit);
      await page.locator("#composer").press("Enter");
      await page.getByRole("button", { name: words.conversation.trace, exact: true }).click();
      await page.getByText("final_response").waitFor();
    },
  },
  {
    name: "models",
    height: 1_200,
    before: () => undefined,
    prepare: (page, words, _, hub) => modelsWithDownload(page, words, hub),
  },
  {
    name: "models-found",
    before: () => undefined,
    prepare: foundModels,
  },
  {
    name: "consent",
    left: wentOut,
    before: twoConnections,
    prepare: consent,
  },
  {
    name: "network",
    left: wentOut,
    before: twoConnections,
    prepare: ledger,
  },
  {
    name: "cloud",
    height: 1_000,
    left: wentOut,
    before: twoConnections,
    prepare: cloudDialog,
  },
  {
    name: "health",
    before: (app) => void tellHealth(app, rescuedReport),
    prepare: health,
  },
  {
    name: "banner",
    async before(app, language) {
      await otherChats(app, language);
      tellHealth(app, rescuedReport);
    },
    async prepare(page, words) {
      await page.getByRole("button", { name: words.care.seen }).waitFor();
      await page.keyboard.press("Control+Shift+O");
      await page.getByText(words.conversation.emptyTitle).waitFor();
    },
  },
];
