import type { Page } from "playwright-core";
import { figure, type Group, longest, machineMs, median, quantile } from "./figure.ts";
import { fillChat, filledTurnId } from "./filled-chat.ts";
import { sampleAnswer, sampleQuestion } from "./sample-texts.ts";
import { clickToTurn, framesDuring, withWindow } from "./window-page.ts";

const rows = 5_000;
const openings = 5;
/** Other work on the computer lengthens a frame here and there; what the page does itself is there in every round. */
const rounds = 3;
const wheels = 200;
const wheelPixels = 600;
const texts = { question: sampleQuestion, answer: sampleAnswer };
const newest = filledTurnId("long", rows / 2 - 1);

/** A chat as long as a year: how soon its newest turn is there, and whether reading back through it is smooth. */
export const longChat: Group = {
  name: "long-chat",
  measure: () =>
    withWindow(
      {
        before: async ({ store }) => {
          fillChat(store, { ...texts, sessionId: "long", rows });
          fillChat(store, { ...texts, sessionId: "short", rows: 4 });
          store.renameChat("long", "Long");
          store.renameChat("short", "Short");
        },
      },
      async ({ page }) => {
        const opened: number[] = [];
        for (let round = 0; round < openings; round++) opened.push(await openLong(page));
        const frames: number[][] = [];
        for (let round = 0; round < rounds; round++) {
          await openLong(page);
          frames.push(await framesDuring(page, () => wheelBack(page)));
        }
        return [
          figure(`chat of ${rows} rows: the first opening`, opened[0] ?? null, machineMs, { atMost: 300 }),
          figure(`chat of ${rows} rows: opened, median of ${openings}`, median(opened), machineMs, { atMost: 300 }),
          figure(
            `${wheels} turns of the wheel through it: longest frame, median of ${rounds}`,
            median(frames.map(longest)),
            machineMs,
            {
              atMost: 100,
            },
          ),
          figure(`${wheels} turns of the wheel through it: frames, p95`, quantile(frames.flat(), 0.95), machineMs),
        ];
      },
    ),
};

/** From the short chat to the long one. */
async function openLong(page: Page): Promise<number> {
  await page.locator("#chat-short").click();
  await page.locator(`[data-turn="${filledTurnId("short", 1)}"]`).waitFor();
  await page.waitForTimeout(500); // what the short chat still had to do is none of the long one's time
  const painted = await clickToTurn(page, newest);
  await page.locator("#chat-long").click();
  return painted();
}

/** As a person with a wheel: about forty turns of it a second. */
async function wheelBack(page: Page): Promise<void> {
  await page.locator(`[data-turn="${newest}"]`).hover();
  for (let step = 0; step < wheels; step++) {
    await page.mouse.wheel(0, -wheelPixels);
    await page.waitForTimeout(16);
  }
  const first = await page.locator("[data-turn]").first().getAttribute("data-turn");
  const passed = rows / 2 - Number(first?.split("-").at(-1));
  if (!(passed > 100)) throw new Error(`More pages of the chat were to be read, and it went back by ${passed} turns.`);
}
