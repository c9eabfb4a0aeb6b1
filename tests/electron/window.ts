import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { HostBridge } from "../../src/shared/bridge.ts";
import { builtApp } from "../support/built-app.ts";
import { launchChromium } from "../support/chromium.ts";
import { createLink, type Link } from "./link.ts";
import { openPage, type WindowPage } from "./page.ts";

/** A page's window with what the preload puts there. */
export type HostWindow = Window & { readonly host: HostBridge };

const standIn = join(import.meta.dirname, "stand-in.ts");

export interface Dialog {
  readonly kind: "message" | "open" | "save";
  readonly options: Readonly<Record<string, unknown>>;
}

interface WindowOptions {
  /** The data folder. */
  readonly home: string;
  /** One browser for several windows, started by the test; without it each window has its own, which takes 0.1 s. */
  readonly browser?: Browser;
  /** What a person does with a dialog; without it they leave it. */
  readonly answer?: (dialog: Dialog) => unknown;
  /** Added to the environment of the main process. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly argv?: readonly string[];
  /** Of the page: language, colours, … */
  readonly context?: BrowserContextOptions;
}

/** Lares as a desktop app: the built main process, preload and page, in Node and Chromium. */
export interface OpenedWindow {
  /** The page of the window that opened first, anew after a crash. Undefined: there is none (yet). */
  readonly page: Page;
  pages(): Page[];
  /** Asks the main process, by the names that the stand-in serves (electron.ts). */
  readonly main: Link;
  readonly dialogs: readonly Dialog[];
  /** What was asked of the system: openExternal, openPath, show. */
  readonly told: readonly { readonly what: string; readonly value: unknown }[];
  /** What the main process printed. */
  output(): string;
  /** The exit code, when it has ended. */
  readonly ended: Promise<number | null>;
  /** Quits as a person does, and waits for the end. */
  close(): Promise<number | null>;
  /** Kills the main process as a power cut would. */
  kill(): Promise<void>;
}

/** Starts the main process. Resolves when its first window has loaded its page, or when it ended before. */
export async function openWindow(options: WindowOptions): Promise<OpenedWindow> {
  const browser = options.browser ?? (await launchChromium());
  const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options.context });
  const child = startMain(await builtApp(), options);
  const pages = new Map<number, WindowPage>();
  const dialogs: Dialog[] = [];
  const told: { what: string; value: unknown }[] = [];
  const loaded = Promise.withResolvers<void>();
  const opening = new Map<number, Promise<WindowPage>>();

  const main = createLink(endOf(child), {
    async open(
      id: number,
      preferences: { preload: string; partition: string },
      size: { width: number; height: number },
    ) {
      opening.set(id, openPage(context, main, id, preferences));
      const opened = await opening.get(id)!;
      pages.set(id, opened);
      await opened.page.setViewportSize(size);
    },
    async load(id: number, url: string) {
      await (await opening.get(id))?.load(url);
      loaded.resolve();
    },
    reload: (id: number) => pages.get(id)?.reload(),
    crash: (id: number) => pages.get(id)?.crash(),
    send: (id: number, channel: string, values: unknown[]) => pages.get(id)?.send(channel, values),
    async closed(id: number) {
      await pages.get(id)?.close();
      pages.delete(id);
    },
    dialog(kind: Dialog["kind"], given: Dialog["options"]) {
      dialogs.push({ kind, options: given });
      return options.answer?.({ kind, options: given }) ?? leave(given);
    },
    told: (what: string, value: unknown) => void told.push({ what, value }),
  });

  const output = collect(child);
  const ended = once(child, "exit").then(async ([code]: (number | null)[]) => {
    await Promise.allSettled(opening.values()); // Playwright cannot bear a page that is closed while it is made
    await (options.browser ? context : browser).close();
    loaded.resolve();
    return code ?? null;
  });
  await loaded.promise;
  return {
    get page() {
      return [...pages.values()][0]?.page as Page;
    },
    pages: () => [...pages.values()].map(({ page }) => page),
    main,
    dialogs,
    told,
    output,
    ended,
    close() {
      if (child.connected) void main.ask("quit");
      return ended;
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Leaving a dialog with Esc. */
const leave = ({ cancelId = 0 }: Dialog["options"]) => ({ response: cancelId, canceled: true, filePaths: [] });

function startMain(app: string, { home, variables, argv = [] }: WindowOptions): ChildProcess {
  const { PATH = "", HOME = "", LARES_MODEL_CACHE, XDG_CACHE_HOME } = process.env;
  const shared = {
    PATH,
    HOME,
    ...(LARES_MODEL_CACHE && { LARES_MODEL_CACHE }),
    ...(XDG_CACHE_HOME && { XDG_CACHE_HOME }),
  };
  return fork(join(app, "out", "main", "index.js"), argv, {
    env: { ...shared, LARES_HOME: home, STAND_IN_APP: app, ...variables },
    execArgv: ["--import", standIn],
    serialization: "advanced",
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
}

function endOf(child: ChildProcess) {
  return {
    // It may be gone before it is said to be: an answer that nobody waits for is no error.
    send: (message: unknown) => void (child.connected && child.send(message as object, () => undefined)),
    onMessage: (listener: (message: unknown) => void) => void child.on("message", listener),
  };
}

function collect(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
  }
  return () => text;
}
