import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createStore, type Store } from "../../src/main/db/store.ts";
import { figure, type Group, machineMs, median, quantile } from "./figure.ts";
import { fillChat } from "./filled-chat.ts";
import { sampleAnswer, sampleQuestion } from "./sample-texts.ts";

const messages = 100_000;
const chats = 20;
const starts = 5;
const most = { atMost: 200 };

/** What people look for: words that are everywhere, that are rare, parts of words, more than one, Chinese, and nothing. */
const queries = [
  ..."plan,part,Monday,copies,afternoon,weekend,nowhere".split(","),
  ..."Question 4711,daysLeft,part 3,old drafts,the order of the steps,Lighthouse keeper".split(","),
  ..."灯塔,灯塔看守人,天气很好,没有的词".split(","),
  ..."aftern,drafts plan,glue Friday,Schluss".split(","),
];

/** A store as large as years: how soon the app can be used after a clean end and after a crash, and how soon it finds. */
export const largeStore: Group = {
  name: "large-store",
  async measure() {
    const folder = mkdtempSync(join(tmpdir(), "lares-bench-"));
    try {
      const store = filled(join(folder, "lares.db"));
      const found = queries.flatMap((query) => [0, 1, 2].map(() => searchMs(store, query)));
      store.close();
      await start(folder, "clean"); // whatever a first start of the day has to do
      const clean = await repeated(() => start(folder, "clean"));
      await start(folder, "crash");
      const crashed = await repeated(() => start(folder, "crash"));
      return [
        figure(
          `search of ${messages} messages: p95 of ${queries.length} queries`,
          quantile(found, 0.95),
          machineMs,
          most,
        ),
        figure(`search of ${messages} messages: median`, median(found), machineMs),
        figure(`start with ${messages} messages after a clean end`, median(clean), machineMs),
        figure("after a crash: so much longer", median(crashed) - median(clean), machineMs, { atMost: 2_000 }),
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function filled(file: string): Store {
  const store = createStore(file);
  const answer = (pair: number) =>
    pair % 50 === 0 ? `灯塔看守人说今天天气很好。${sampleAnswer(pair)}` : sampleAnswer(pair);
  for (let chat = 0; chat < chats; chat++) {
    fillChat(store, { sessionId: `chat-${chat}`, rows: messages / chats, question: sampleQuestion, answer });
  }
  return store;
}

function searchMs(store: Store, query: string): number {
  const begin = performance.now();
  store.searchChats(query, 50);
  return performance.now() - begin;
}

async function repeated(work: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < starts; at++) times.push(await work());
  return times;
}

/** Starts a Lares on the folder and ends it so. Returns the milliseconds until a page could be used. */
async function start(folder: string, ending: "clean" | "crash"): Promise<number> {
  const child = fork(join(import.meta.dirname, "restart-child.ts"), [folder, ending]);
  const exit = once(child, "exit");
  const said = await Promise.race([once(child, "message"), exit]);
  const usableMs = Number(Object(said[0]).usableMs);
  if (!(usableMs > 0)) throw new Error(`The app did not start (${String(said)}).`);
  if (ending === "crash") child.kill("SIGKILL");
  else child.send("leave");
  await exit;
  return usableMs;
}
