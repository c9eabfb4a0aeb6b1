import { readFileSync } from "node:fs";
import type { BrowserContext, CDPSession, Page, Route } from "playwright-core";
import type { Link } from "./link.ts";

// Chromium takes no scheme that it does not know: app://bundle is https://bundle there, and nowhere else.
const toBrowser = (url: string): string => url.replace(/^app:/, "https:");
export const toApp = (url: string): string => url.replace(/^https:\/\/bundle(?=\/|$)/, "app://bundle");

interface Call {
  readonly channel: string;
  readonly values: unknown[];
}

interface Preferences {
  readonly preload: string;
  readonly partition: string;
}

interface Served {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/** One window's page in a real Chromium, with the real preload, joined to the main process behind `main`. */
export interface WindowPage {
  readonly page: Page;
  load(url: string): Promise<void>;
  reload(): Promise<void>;
  crash(): void;
  send(channel: string, values: unknown[]): Promise<void>;
  close(): Promise<void>;
}

export async function openPage(
  context: BrowserContext,
  main: Link,
  id: number,
  preferences: Preferences,
): Promise<WindowPage> {
  let address = "about:blank";
  let page: Page;
  let session: CDPSession;

  async function create(): Promise<void> {
    page = await context.newPage();
    await page.exposeBinding("__standIn", ({ frame }, { channel, values }: Call) =>
      main.ask("invoke", id, { url: toApp(frame.url()), isMain: frame.parentFrame() === null }, channel, values),
    );
    await page.addInitScript(preloadScript(preferences.preload));
    await page.route("**/*", (route) => answer(route, main, id, preferences.partition));
    page.on("popup", async (popup) => {
      if ((await main.ask("windowOpen", id, toApp(popup.url()))) === "deny") await popup.close();
    });
    page.on("crash", () => void main.ask("gone", id));
    session = await context.newCDPSession(page);
    await session.send("Page.enable");
    session.on("Page.frameNavigated", ({ frame }) => {
      if (frame.parentId === undefined) void main.ask("navigated", id, toApp(frame.url));
    });
  }

  const load = async (url: string): Promise<void> => {
    address = url;
    await page.goto(toBrowser(url));
  };

  await create();
  return {
    get page() {
      return page;
    },
    load,
    async reload() {
      const crashed = await page.evaluate(() => false).catch(() => true);
      if (!crashed) return void (await page.reload());
      await page.close();
      await create();
      await load(address);
    },
    crash: () => void session.send("Page.crash").catch(() => undefined), // nobody is left to answer
    async send(channel, values) {
      const deliver = ([name, args]: [string, unknown[]]) =>
        (window as unknown as Record<symbol, (name: string, args: unknown[]) => void>)[Symbol.for("stand-in")]?.(
          name,
          args,
        );
      await page.evaluate(deliver, [channel, values] as [string, unknown[]]).catch(() => undefined); // the page is gone
    },
    close: () => page.close(),
  };
}

/** Every request of a page goes through the session's filter and the app's own protocol. Nothing reaches a network. */
async function answer(route: Route, main: Link, id: number, partition: string): Promise<void> {
  const request = route.request();
  const url = toApp(request.url());
  if (request.isNavigationRequest()) {
    const isMainFrame = request.frame().parentFrame() === null;
    if (await main.ask("preventsOnWindow", id, "will-frame-navigate", { url, isMainFrame }))
      return route.abort("aborted");
  }
  const served = await main.ask<Served | undefined>("fetch", partition, request.method(), url);
  if (!served) return route.abort("blockedbyclient");
  const { status, headers, body } = served;
  await route.fulfill({ status, headers, body: Buffer.from(body) });
}

/** The preload runs first in each document of the main frame, and sees of Electron what a sandboxed one sees. */
function preloadScript(path: string): string {
  return `(() => {
    const call = window.__standIn;
    delete window.__standIn;
    if (window !== window.top) return;
    const listeners = new Map();
    const of = (channel) => listeners.get(channel) ?? listeners.set(channel, new Set()).get(channel);
    const ipcRenderer = {
      invoke: (channel, ...values) => call({ channel, values }),
      on: (channel, listener) => void of(channel).add(listener),
      off: (channel, listener) => void of(channel).delete(listener),
    };
    const webUtils = { getPathForFile: (file) => file.standInPath ?? "" };
    const contextBridge = {
      exposeInMainWorld: (name, api) => Object.defineProperty(window, name, { value: Object.freeze(api), enumerable: true }),
    };
    const deliver = (channel, values) => { for (const listener of of(channel)) listener({ sender: ipcRenderer }, ...values); };
    Object.defineProperty(window, Symbol.for("stand-in"), { value: deliver });
    const require = (name) => {
      if (name === "electron") return { contextBridge, ipcRenderer, webUtils };
      throw new Error("a sandboxed preload has no " + name);
    };
    (function (require, module, exports) {${readFileSync(path, "utf8")}\n})(require, { exports: {} }, {});
  })()`;
}
