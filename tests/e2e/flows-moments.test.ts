import { setTimeout as wait } from "node:timers/promises";
import type { Page, WebSocketRoute } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Provider } from "../../src/main/providers/provider.ts";
import { storedTurns } from "../support/channels.ts";
import { type OpenPage, openPage } from "../support/open-page.ts";
import { aPerson, eventually } from "../support/person.ts";
import { scriptedProvider } from "../support/scripted-provider.ts";

// The road between the page and Lares breaks at fifty moments of one answer that goes on all the while.

const sockets: WebSocketRoute[] = [];
let opened: OpenPage;
let page: Page;
let isOver = false;

/** Counts until the test has seen enough. */
const counting: Provider = {
  ...scriptedProvider(),
  async *stream() {
    for (let number = 1; !isOver; number += 1) {
      yield { type: "text", text: ` ${number}` };
      await wait(5);
    }
    yield { type: "finish", reason: "stop" };
  },
};

beforeAll(async () => {
  opened = await openPage({ hasModel: true, provider: counting });
  page = opened.page;
  page.setDefaultTimeout(15_000);
  await page.routeWebSocket(/\/socket$/, (socket) => {
    socket.connectToServer();
    sockets.push(socket);
  });
  await page.reload(); // through the route from now on
}, 60_000);
afterAll(() => opened?.close());

const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1).join(" ");

test("at fifty moments of a stream nothing is lost and nothing comes twice", async () => {
  const me = aPerson(page);
  await me.ask("Count");
  let last = 0;
  /** What is shown is the count, without a gap, and further than before. */
  async function goesOn(): Promise<void> {
    const before = last;
    await eventually(async () => {
      const text =
        (await me
          .answer("Count")
          .textContent({ timeout: 1_000 })
          .catch(() => "")) ?? "";
      if (/\d$/.test(text)) expect(text).toBe(upTo(text.split(" ").length));
      last = Number(/\d+$/.exec(text)?.[0] ?? 0);
      return last;
    }).toBeGreaterThan(before);
  }
  await goesOn();
  for (let moment = 0; moment < 50; moment += 1) {
    const before = sockets.length;
    if (moment % 5 === 0) await page.reload();
    else await sockets.at(-1)?.close({ code: 4000 });
    await eventually(() => sockets.length).toBe(before + 1);
    await goesOn();
  }
  isOver = true;
  await me.answered("Count");
  const [turn] = storedTurns(opened, "Count");
  const stored = turn?.rows.flatMap(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : ""))).at(-1);
  expect(stored?.trim()).toBe(upTo(stored?.trim().split(" ").length ?? 0));
  expect(await me.answer("Count").textContent()).toBe(stored?.trim());
  expect(opened.problems).toEqual([]);
}, 90_000);
