import type { Page } from "playwright-core";
import type { Bus } from "../../src/main/bus/bus.ts";
import { figure, type Group, longest, machineMs, median, quantile } from "./figure.ts";
import { pacedModel } from "./paced-model.ts";
import { sampleBlock } from "./sample-texts.ts";
import { framesDuring, keyDelays, withWindow } from "./window-page.ts";

/** Other work on the computer lengthens a frame here and there; what the page does itself is there in every round. */
const rounds = 3;
const perSecond = 500;
const seconds = 5;
const keys = 60;
const keyEveryMs = 50;
/** Longer than the keys take: this answer is stopped. */
const endless = 20;

/** Far more words than anyone can read: the page stays smooth, main speaks to it seldom, and the box goes on taking keys. */
export const windowStream: Group = {
  name: "window-stream",
  measure: () =>
    withWindow({ provider: pacedModel({ perSecond, answer }) }, async ({ app, page }) => {
      const pace = watchPace(app.bus);
      const batches = countBatches(page);
      await page.reload(); // from here on its socket is watched
      await page.locator("#composer").waitFor();
      await page.waitForTimeout(1000); // the page reads the rest of itself
      const before = batches();
      const frames: number[][] = [];
      for (let round = 0; round < rounds; round++) {
        frames.push(await framesDuring(page, () => answered(page, `Question ${round}`)));
      }
      const batchesPerSecond = (batches() - before) / pace.seconds();
      const deltasPerSecond = pace.deltas() / pace.seconds();
      const delays = await typeWhileStreaming(page);
      return [
        figure("streamed to the page", deltasPerSecond, "deltas/s", { atLeast: 0.95 * perSecond }),
        figure(`while streaming: longest frame, median of ${rounds}`, median(frames.map(longest)), machineMs, {
          atMost: 50,
        }),
        figure("while streaming: frames, p95", quantile(frames.flat(), 0.95), machineMs),
        figure("while streaming: batches to the page", batchesPerSecond, "batches/s", { atMost: 31 }),
        figure(`typing while streaming: input delay of ${keys} keys, p95`, quantile(delays, 0.95), machineMs, {
          atMost: 50,
        }),
      ];
    }),
};

const answer = (request: number): readonly string[] => deltas(request < rounds ? seconds : endless);

/** Markdown in pieces of about a token. */
function deltas(length: number): readonly string[] {
  const pieces: string[] = [];
  for (let place = 0; pieces.length < perSecond * length; place++) {
    pieces.push(...(`${sampleBlock(place)}\n\n`.match(/\s*[^\s]{1,6}|\s+/g) ?? []));
  }
  return pieces.slice(0, perSecond * length);
}

async function answered(page: Page, question: string): Promise<void> {
  await page.locator("#composer").fill(question);
  await page.locator("#composer").press("Enter");
  const turn = page.getByRole("article").filter({ has: page.getByText(question, { exact: true }) });
  await turn.getByRole("button", { name: "Try again" }).waitFor();
}

async function typeWhileStreaming(page: Page): Promise<readonly number[]> {
  const ended = answered(page, "The last one");
  const stop = page.getByRole("button", { name: "Stop" });
  await stop.waitFor();
  const delays = await keyDelays(page);
  for (let key = 0; key < keys; key++) {
    await page.keyboard.press("a");
    await page.waitForTimeout(keyEveryMs);
  }
  await stop.click(); // it is still on its way, else there were no such button
  await ended;
  const typed = await page.locator("#composer").inputValue();
  if (typed !== "a".repeat(keys)) throw new Error(`${keys} keys were pressed, and the box holds ${typed.length}.`);
  return delays.jsonValue();
}

/** How many batches came so far. */
function countBatches(page: Page): () => number {
  let count = 0;
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      if (payload.toString().startsWith('{"batch"')) count += 1;
    }),
  );
  return () => count;
}

/** How many deltas were told, and the seconds from the first to the last one of each answer. */
function watchPace(bus: Bus) {
  let deltas = 0;
  let ms = 0;
  let last: number | undefined;
  bus.listen(({ type }) => {
    if (type === "turn.started") last = undefined;
    if (type !== "delta") return;
    const now = performance.now();
    deltas += 1;
    ms += now - (last ?? now);
    last = now;
  });
  return { deltas: () => deltas, seconds: () => ms / 1000 };
}
