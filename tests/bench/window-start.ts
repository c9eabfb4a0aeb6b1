import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { BrowserContext, Page } from "playwright-core";
import { builtApp } from "../support/built-app.ts";
import { launchChromium } from "../support/chromium.ts";
import { openPage } from "../support/open-page.ts";
import { figure, type Group, machineMs, median } from "./figure.ts";
import { fillChat } from "./filled-chat.ts";
import { sampleAnswer, sampleQuestion } from "./sample-texts.ts";

const rounds = 7;
const chats = 12;

/** Milliseconds of one start. */
interface Start {
  /** Process start to printed address. */
  readonly address: number;
  /** From there until the page has its first answer from the assistant. */
  readonly hello: number;
  /** From there until a key that was typed is painted. */
  readonly usable: number;
}

/** From the start of the program until a person can type, in a browser that is running already. */
export const windowStart: Group = {
  name: "window-start",
  async measure() {
    const home = mkdtempSync(join(tmpdir(), "lares-bench-"));
    const browser = await launchChromium();
    try {
      await furnish(home);
      const program = join(await builtApp(), "out", "main", "cli.js");
      const context = await browser.newContext({ locale: "en-US" });
      const first = await startOnce({ context, program, home, key: "z" });
      const starts: Start[] = [];
      for (let round = 0; round < rounds; round++) {
        starts.push(await startOnce({ context, program, home, key: String(round) }));
      }
      return [
        figure(`start to usable window, median of ${rounds}`, median(starts.map(total)), machineMs, { atMost: 1000 }),
        figure("start to usable window: the first one", total(first), machineMs),
        ...(["address", "hello", "usable"] as const).map((part) =>
          figure(`start: ${partNames[part]}`, median(starts.map((one) => one[part])), machineMs),
        ),
      ];
    } finally {
      await browser.close();
      rmSync(home, { recursive: true });
    }
  },
};

const partNames: Record<keyof Start, string> = {
  address: "process start → address",
  hello: "page load → first answer of the assistant",
  usable: "first answer → a key is painted",
};

const total = ({ address, hello, usable }: Start): number => address + hello + usable;

/** A model file and a few chats, as on the second day. */
async function furnish(dataFolder: string): Promise<void> {
  const { close } = await openPage({
    dataFolder,
    hasModel: true,
    before: async ({ store }) => {
      for (let chat = 0; chat < chats; chat++) {
        const answer = (pair: number) => sampleAnswer(chat + pair);
        fillChat(store, { sessionId: `chat-${chat}`, rows: 20, question: sampleQuestion, answer });
      }
    },
  });
  await close();
}

interface StartOptions {
  readonly context: BrowserContext;
  readonly program: string;
  readonly home: string;
  /** Another one each time: what is typed stays as a draft. */
  readonly key: string;
}

async function startOnce({ context, program, home, key }: StartOptions): Promise<Start> {
  const page = await context.newPage();
  const heard = firstAnswer(page);
  const start = performance.now();
  const environment = { ...process.env, LARES_HOME: home };
  const child = spawn(process.execPath, [program, "serve"], { env: environment, stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "close");
  try {
    const url = await printedAddress(child.stdout, ended);
    const address = performance.now();
    await page.goto(url, { waitUntil: "commit" });
    const hello = await heard;
    await page.locator("#composer").press(key);
    await painted(page, key);
    const end = performance.now();
    return { address: address - start, hello: hello - address, usable: end - hello };
  } finally {
    await page.close();
    child.kill("SIGTERM");
    await ended;
  }
}

async function printedAddress(output: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  createInterface(output).on("line", (line) => {
    const [address] = /http:\S+/.exec(line) ?? [];
    if (address) resolve(address);
  });
  const address = await Promise.race([promise, ended.then(() => undefined)]);
  if (address === undefined) throw new Error("Lares ended before it printed an address.");
  return address;
}

/** When the first reply came over the page's socket. */
function firstAnswer(page: Page): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      if (payload.toString().includes('"reply"')) resolve(performance.now());
    }),
  );
  return promise;
}

/** Resolves behind the frame that shows the key. */
const painted = (page: Page, key: string): Promise<void> =>
  page.evaluate((typed) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      const box = document.querySelector<HTMLTextAreaElement>("#composer");
      if (box?.value.endsWith(typed)) setTimeout(resolve);
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    return promise;
  }, key);
