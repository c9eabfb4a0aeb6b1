import type { JSHandle, Page } from "playwright-core";
import { type OpenPage, type OpenPageOptions, openPage } from "../support/open-page.ts";

/** Runs `work` with the whole assistant and its page in Chromium, as most people see it: nothing is left out of its motion. */
export async function withWindow<T>(options: OpenPageOptions, work: (opened: OpenPage) => Promise<T>): Promise<T> {
  const opened = await openPage({ hasModel: true, reducedMotion: "no-preference", ...options });
  try {
    opened.page.setDefaultTimeout(60_000);
    await opened.page.locator("#composer").waitFor();
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/** Milliseconds between one frame of the page and the next while `work` is done. */
export async function framesDuring(page: Page, work: () => Promise<unknown>): Promise<number[]> {
  const recorder = await page.evaluateHandle(() => {
    const lengths: number[] = [];
    let last: number | undefined;
    let handle = requestAnimationFrame(function frame() {
      const now = performance.now(); // the time that a frame is given may be long before the page got to it
      if (last !== undefined) lengths.push(now - last);
      last = now;
      handle = requestAnimationFrame(frame);
    });
    return { lengths, stop: () => cancelAnimationFrame(handle) };
  });
  await work();
  return recorder.evaluate(({ lengths, stop }) => {
    stop();
    return lengths;
  });
}

/** For each key that goes down in the page: milliseconds until what it changed was painted. */
export async function keyDelays(page: Page): Promise<JSHandle<number[]>> {
  return page.evaluateHandle(() => {
    const delays: number[] = [];
    const { port1, port2 } = new MessageChannel();
    const waiting: number[] = [];
    port1.onmessage = () => delays.push(performance.now() - (waiting.shift() ?? 0)); // the frame is done by then
    addEventListener(
      "keydown",
      ({ timeStamp }) =>
        requestAnimationFrame(() => {
          waiting.push(timeStamp);
          port2.postMessage(null);
        }),
      true,
    );
    return delays;
  });
}

/** Starts a clock with the next click of the page. What is given resolves to the milliseconds until the end of this turn's answer was painted. */
export async function clickToTurn(page: Page, turnId: string): Promise<() => Promise<number>> {
  const clock = await page.evaluateHandle((id) => {
    const { promise, resolve } = Promise.withResolvers<number>();
    const isShown = () => {
      const turn = document.querySelector(`[data-turn="${id}"]`);
      const box = turn?.closest("section")?.getBoundingClientRect();
      const bottom = turn?.getBoundingClientRect().bottom;
      return box !== undefined && bottom !== undefined && bottom > box.top && bottom <= box.bottom;
    };
    addEventListener(
      "click",
      ({ timeStamp }) => {
        const look = () => {
          if (isShown())
            setTimeout(() => resolve(performance.now() - timeStamp)); // behind this frame
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      },
      { capture: true, once: true },
    );
    return { promise };
  }, turnId);
  return () => clock.evaluate(({ promise }) => promise);
}
