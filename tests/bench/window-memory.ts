import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { CDPSession } from "playwright-core";
import { type App, createApp } from "../../src/main/app.ts";
import { figure, type Group } from "./figure.ts";
import { pacedModel } from "./paced-model.ts";
import { sampleBlock } from "./sample-texts.ts";
import { withWindow } from "./window-page.ts";

const few = 100;
const many = 1_000;
const most = { atMost: 20 };

/** What one more answer leaves behind, for good, in a page that saw them all and in main. Garbage is collected before each look. */
export const windowMemory: Group = {
  name: "window-memory",
  async measure() {
    const page = await inPage();
    const main = await inMain();
    return [
      figure(`heap of the page after ${few} answers`, page.few.heap / 1e6, "MB"),
      figure(`heap of the page after ${many} answers`, page.many.heap / 1e6, "MB"),
      figure("heap of the page, each answer", perAnswer(page.few.heap, page.many.heap), "kB", most),
      figure("nodes of the page, each answer", (page.many.nodes - page.few.nodes) / (many - few), "nodes", {
        atMost: 1,
      }),
      figure("heap of main, each answer", perAnswer(main.few, main.many), "kB", most),
    ];
  },
};

const perAnswer = (before: number, after: number): number => (after - before) / 1000 / (many - few);

/** A short answer of some thirty words, in five pieces. */
const model = () =>
  pacedModel({ perSecond: 2000, answer: (request) => sampleBlock(request).match(/[\s\S]{1,60}/g) ?? [] });

async function inPage() {
  return withWindow({ provider: model() }, async ({ app, page }) => {
    await answer(app, 0, 1);
    await page.locator("#chat-many").click();
    const session = await page.context().newCDPSession(page);
    const look = async (answers: number) => {
      await page.locator(`article:has-text("Question ${answers - 1}.") footer`).waitFor();
      return use(session);
    };
    await answer(app, 1, few);
    const early = await look(few);
    await answer(app, few, many);
    return { few: early, many: await look(many) };
  });
}

async function use(session: CDPSession) {
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize: heap } = await session.send("Runtime.getHeapUsage");
  const { nodes } = await session.send("Memory.getDOMCounters"); // those that are in no document any more as well
  return { heap, nodes };
}

/** Without a browser's driver in this process, which has a memory of its own. */
async function inMain() {
  const dataFolder = mkdtempSync(join(tmpdir(), "lares-bench-"));
  const app = await createApp({ dataFolder, workspace: dataFolder, provider: model() });
  const page = app.desk.connect({ kind: "window" }, ({ seq }) => void page.call("stream.ack", { seq }));
  try {
    await answer(app, 0, few);
    const early = heapOfMain();
    await answer(app, few, many);
    return { few: early, many: heapOfMain() };
  } finally {
    page.close();
    await app.close();
    rmSync(dataFolder, { recursive: true });
  }
}

function heapOfMain(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect(); // what the first one has let go of
  return process.memoryUsage().heapUsed;
}

/** Lets the chat have its answers from one number to before another, one after the other. */
async function answer({ bus, idle }: App, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at++) {
    bus.ask({ id: `m-${at}`, channel: "window", sessionId: "many", text: `Question ${at}.` });
    await idle();
  }
}
