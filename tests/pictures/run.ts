import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import type { BrowserContext, Page } from "playwright-core";
import { createStore } from "../../src/main/db/store.ts";
import { type Language, languages, wordsIn } from "../../src/shared/words/index.ts";
import { launchChromium } from "../support/chromium.ts";
import { openPage } from "../support/open-page.ts";
import { picturesHub } from "./models-scene.ts";
import { lease, leaseScript, otherChats } from "./scene.ts";
import { type Screen, screens } from "./screens.ts";

// `npm run pictures`: every screen as it really is, in light and dark, wide and narrow, English and Chinese. Words and
// answers are scripted; the window, the store and the trace are real. `-- --only cards --only health`: these alone.

const folder = join(import.meta.dirname, "..", "..", "docs", "images");
const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 800 } } as const;
const fonts = dirname(createRequire(import.meta.url).resolve("@fontsource-variable/noto-sans-sc/index.css"));

const { only } = parseArgs({ options: { only: { type: "string", multiple: true } } }).values;
mkdirSync(folder, { recursive: true });
const hub = await picturesHub();
const browser = await launchChromium();
for (const language of languages) {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [size, viewport] of Object.entries(sizes)) {
      await takeAll({ language, colorScheme, size, viewport });
    }
  }
}
await browser.close();
await hub.close();

interface Look {
  readonly language: Language;
  readonly colorScheme: "light" | "dark";
  readonly size: string;
  readonly viewport: { width: number; height: number };
}

async function takeAll(look: Look): Promise<void> {
  for (const screen of screens.filter(({ name }) => only?.includes(name) ?? true)) {
    const file = `${screen.name}-${look.size}-${look.colorScheme}-${look.language}.png`;
    const { page, close } = await stage(screen, look);
    if (!screen.isNew) await page.locator("#composer").waitFor();
    await screen.prepare(page, wordsIn(look.language), look.language, hub);
    await allFonts(page);
    writeFileSync(join(folder, file), await page.screenshot());
    await close();
    process.stdout.write(`${file}\n`);
  }
}

/** The assistant with the chats of the scene, and the page of one screen. */
async function stage(screen: Screen, { language, colorScheme, viewport }: Look) {
  const home = mkdtempSync(join(tmpdir(), "lares-pictures-"));
  const workspace = join(home, "Documents");
  mkdirSync(workspace);
  writeFileSync(join(workspace, lease.file), lease.text);
  const dataFolder = join(home, "Lares");
  if (screen.left) {
    mkdirSync(dataFolder);
    const store = createStore(join(dataFolder, "lares.db"));
    screen.left(store, language);
    store.close();
  }
  const script = (screen.script ?? leaseScript)(language);
  const opened = await openPage({
    browser,
    viewport: { ...viewport, ...(screen.height && { height: screen.height }) },
    colorScheme,
    locale: language,
    withContext: withChineseFont,
    workspace,
    dataFolder,
    ...(screen.isNew ? { provider: null } : { hasModel: true, script }),
    before: async (app) => {
      if (screen.before) await screen.before(app, language);
      else if (!screen.isNew) await otherChats(app, language);
    },
  });
  const close = async () => {
    await opened.close();
    rmSync(home, { recursive: true, force: true });
  };
  return { page: opened.page, close };
}

/** The Chromium of the tests has no Chinese font; people's computers do. It comes from the page's own origin, as its policy demands. */
async function withChineseFont(context: BrowserContext): Promise<void> {
  const css = readFileSync(join(fonts, "index.css"), "utf8").replaceAll("Noto Sans SC Variable", "Noto Sans SC");
  await context.route("**/test-fonts/**", (route) => {
    const [, name = ""] = route.request().url().split("/test-fonts/");
    return name === "index.css"
      ? route.fulfill({ body: css, contentType: "text/css" })
      : route.fulfill({ path: join(fonts, name) });
  });
  await context.addInitScript(() => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/test-fonts/index.css" });
    new MutationObserver((_changes, observer) => {
      if (!document.head) return;
      observer.disconnect();
      document.head.append(link);
    }).observe(document, { childList: true, subtree: true });
  });
}

/**
 * Until no font is on its way any more. What was once drawn without its font is remembered so, by its size: the first
 * other size makes the browser ask for every font, the second, too near to be seen, draws with them.
 */
async function allFonts(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (const zoom of ["1.01", "1.002"]) {
      document.documentElement.style.zoom = zoom;
      for (let calm = 0; calm < 10; calm = document.fonts.status === "loading" ? 0 : calm + 1) {
        await document.fonts.ready;
        await new Promise(requestAnimationFrame);
      }
    }
  });
}
