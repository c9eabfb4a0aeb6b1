import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { type App, type AppOptions, createApp } from "../../src/main/app.ts";
import { serveBrowser } from "../../src/main/channels/browser.ts";
import { silentLog } from "../../src/main/lib/log.ts";
import { modelsFolder } from "../../src/main/models/folders.ts";
import type { Provider } from "../../src/main/providers/provider.ts";
import { builtApp } from "./built-app.ts";
import { launchChromium } from "./chromium.ts";
import { writeGguf } from "./gguf.ts";
import { type ScriptStep, scriptedProvider } from "./scripted-provider.ts";

export interface OpenPageOptions extends Partial<Omit<AppOptions, "provider">> {
  /** What the scripted model does, one list a request; `afterwards` is played when the script is at its end. */
  readonly script?: ReadonlyArray<readonly ScriptStep[]>;
  readonly afterwards?: readonly ScriptStep[];
  /** null: the models of this computer. */
  readonly provider?: Provider | null;
  readonly browser?: Browser;
  /** A model file is here, so that there is no first-run screen. The scripted model answers all the same. */
  readonly hasModel?: boolean;
  /** What is done with each browser context before its page is opened. */
  readonly withContext?: (context: BrowserContext) => Promise<void>;
  /** What is there before the page is opened. */
  readonly before?: (app: App) => Promise<void>;
  readonly viewport?: { width: number; height: number };
  readonly colorScheme?: "light" | "dark";
  readonly reducedMotion?: "reduce" | "no-preference";
  readonly locale?: string;
}

/**
 * The whole assistant, its browser channel and the built page in real Chromium; only the model is scripted.
 * `problems` collects what the console said: errors and violations of the page's policy.
 */
export async function openPage(options: OpenPageOptions = {}) {
  const {
    script,
    afterwards,
    provider,
    browser,
    withContext,
    before,
    hasModel,
    viewport,
    colorScheme,
    reducedMotion,
    locale,
    ...rest
  } = options;
  const model = scriptedProvider(script, afterwards ? { afterwards } : {});
  const dataFolder = rest.dataFolder ?? mkdtempSync(join(tmpdir(), "lares-page-"));
  if (hasModel) {
    mkdirSync(modelsFolder(dataFolder), { recursive: true });
    writeGguf(join(modelsFolder(dataFolder), "Qwen-4B.gguf"));
  }
  const app = await createApp({
    workspace: process.cwd(),
    ...rest,
    dataFolder,
    ...(provider === null ? {} : { provider: provider ?? model }),
  });
  await before?.(app);
  const channel = await serveBrowser({
    desk: app.desk,
    pageFolder: join(await builtApp(), "out", "renderer"),
    log: silentLog,
  });
  const chromium = browser ?? (await launchChromium());
  const problems: string[] = [];

  /** Another page of the same assistant, in a context of its own. */
  async function another(more: Pick<OpenPageOptions, "viewport" | "colorScheme" | "locale"> = {}): Promise<Page> {
    const context = await chromium.newContext({
      viewport: more.viewport ?? viewport ?? { width: 1280, height: 800 },
      colorScheme: more.colorScheme ?? colorScheme ?? "light",
      locale: more.locale ?? locale ?? "en-US",
      reducedMotion: reducedMotion ?? "reduce",
    });
    await withContext?.(context);
    const page = await context.newPage();
    page.on("console", (line) => {
      if (line.type() === "error" || line.type() === "warning") problems.push(line.text());
    });
    page.on("pageerror", (error) => problems.push(String(error)));
    await page.goto(channel.issueAddress());
    return page;
  }

  const page = await another();
  return {
    page,
    another,
    app,
    model,
    channel,
    dataFolder,
    problems,
    browser: chromium,
    async close() {
      if (!browser) await chromium.close();
      else await page.context().close();
      await channel.close();
      await app.close();
      if (!rest.dataFolder) rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

export type OpenPage = Awaited<ReturnType<typeof openPage>>;
