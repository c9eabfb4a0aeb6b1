import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, ConsoleMessage, Page } from "playwright-core";
import { findElectron, planStart } from "../../scripts/start-plan.ts";
import { createStore } from "../../src/main/db/store.ts";
import { modelsFolder } from "../../src/main/models/folders.ts";
import { AppError } from "../../src/shared/errors.ts";
import type { ModelEvent } from "../../src/shared/inference.ts";
import { type HostWindow, openWindow } from "../electron/window.ts";
import { openElectron } from "./electron-app.ts";
import { openPage } from "./open-page.ts";
import { type ScriptStep, says } from "./scripted-provider.ts";
import { starterModel } from "./starter.ts";
import { sayingModel } from "./tiny-models.ts";

/** What `counts` says: nothing in it can be lost or doubled without being seen. */
export const counted = Array.from({ length: 300 }, (_, at) => ` ${at + 1}`);

/**
 * How the model answers: `briefly` with "Here I am", `counts` through the numbers up to 300 in some seconds, `knows` what
 * the starter model knows (the real one in the window), `is gone` with an error.
 */
export type Manner = "briefly" | "counts" | "knows" | "is gone";

/** Lares on one of its channels, as a person has it before them. */
export interface World {
  readonly page: Page;
  readonly dataFolder: string;
  /** What the consoles of all its pages said: errors, warnings, violations of the page's policy. */
  readonly problems: readonly string[];
  /** From now on the model answers in this manner. */
  answers(manner: Manner): Promise<void>;
  /** Another window of the same Lares. */
  anotherWindow(): Promise<Page>;
  close(): Promise<void>;
}

/** One of the ways a person has Lares before them. */
export interface Channel {
  readonly name: string;
  open(browser: Browser): Promise<World>;
}

const count = (step: ModelEvent): readonly ScriptStep[] => [step, { wait: 5 }];

const scripts: Readonly<Record<Manner, readonly ScriptStep[]>> = {
  briefly: says("Here I am"),
  counts: [...counted.flatMap((text) => count({ type: "text", text })), { type: "finish", reason: "stop" }],
  knows: says("The capital of France is Paris."),
  "is gone": [new AppError("model-missing", "The file is not there any more. Choose another model.")],
};

/** The page in a browser, with a scripted model. */
async function openInBrowser(browser: Browser): Promise<World> {
  let script = scripts.briefly;
  const opened = await openPage({ browser, hasModel: true, afterwards: [() => script] });
  const pages = [opened.page];
  return {
    page: opened.page,
    dataFolder: opened.dataFolder,
    problems: opened.problems,
    async answers(manner) {
      script = scripts[manner];
    },
    async anotherWindow() {
      const page = await opened.another();
      pages.push(page);
      return page;
    },
    async close() {
      await Promise.all(pages.slice(1).map((page) => page.context().close()));
      await opened.close();
    },
  };
}

/** The window of the desktop app, with models on its disk: in Electron where it can run here, else in its stand-in. */
async function openInWindow(browser: Browser): Promise<World> {
  const home = mkdtempSync(join(tmpdir(), "lares-world-"));
  const files = await writeModels(home);
  const isRoot = process.getuid?.() === 0;
  const root = join(import.meta.dirname, "..", "..");
  const plan = planStart({
    electron: findElectron(root),
    platform: process.platform,
    environment: process.env,
    isRoot,
  });
  const opened = "electron" in plan ? await openElectron(plan.electron, { home }) : await openWindow({ home, browser });
  const { page } = opened;
  const problems: string[] = [];
  page.context().on("console", (line: ConsoleMessage) => {
    if (line.type() === "error" || line.type() === "warning") problems.push(line.text());
  });
  page.context().on("weberror", (thrown) => problems.push(String(thrown.error())));

  const call = (name: string, input: object) =>
    page.evaluate(([name, input]) => (window as HostWindow).host.invoke(name, input), [name, input] as const);
  async function use(model: string): Promise<void> {
    const reply = await call("models.use", { model });
    if (!reply.ok) throw new Error(reply.error.message);
  }

  await page.waitForFunction(() => "host" in window);
  await use(files.briefly);
  return {
    page,
    dataFolder: home,
    problems,
    async answers(manner) {
      copyFileSync(files.briefly, files["is gone"]);
      await use(files[manner]);
      rmSync(files["is gone"]);
    },
    async anotherWindow() {
      const known = new Set(opened.pages());
      await call("shell.newWindow", {});
      for (;;) {
        const found = opened.pages().find((one) => !known.has(one));
        if (found) return found;
        await page.waitForTimeout(20);
      }
    },
    async close() {
      await opened.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** A data folder with a model for each manner, the starter model among them. */
async function writeModels(home: string): Promise<Record<Manner, string>> {
  const folder = modelsFolder(home);
  mkdirSync(folder, { recursive: true });
  const files = {
    briefly: join(folder, "Brief.gguf"),
    counts: join(folder, "Counting.gguf"),
    knows: join(folder, "SmolLM2-135M-Instruct.Q4_1.gguf"),
    "is gone": join(folder, "Gone.gguf"),
  };
  sayingModel(files.briefly, ["Here", " I am"]);
  sayingModel(files.counts, counted, { layers: 24 });
  symlinkSync(await starterModel(), files.knows);
  return files;
}

export const channels: readonly Channel[] = [
  { name: "in a browser", open: openInBrowser },
  { name: "in the window", open: openInWindow },
];

/** What the database has of the newest chat with this title: the turns of the branch that is shown. */
export function storedTurns({ dataFolder }: Pick<World, "dataFolder">, title: string) {
  return reading(dataFolder, (store) => {
    const chat = store.chats().find((one) => one.title === title);
    return chat ? store.turnViews(chat.id, { limit: 100 }) : [];
  });
}

/** What the database has of chats, of drafts, and of messages that wait for their turn. */
export function storedChats({ dataFolder }: Pick<World, "dataFolder">) {
  return reading(dataFolder, (store) =>
    store.chats().map((chat) => ({ ...chat, draft: store.draft(chat.id), waiting: store.waiting(chat.id) })),
  );
}

function reading<T>(dataFolder: string, read: (store: ReturnType<typeof createStore>) => T): T {
  const store = createStore(join(dataFolder, "lares.db"));
  try {
    return read(store);
  } finally {
    store.close();
  }
}
