import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { App } from "../../src/main/app.ts";
import { aPage } from "./page.ts";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Base UI puts elements without a name around what it keeps the focus in; they hand it on at once. */
const exclude = ["[data-base-ui-focus-guard]"];

const options: RunOptions = { resultTypes: ["violations"] };

/** What axe finds on the page as it is now that keeps people out, a line each: rule, element and why. */
export async function barriers(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(source);
  const { violations } = await page.evaluate(
    ({ exclude, options }) => {
      const { axe } = window as unknown as { axe: { run: (...input: unknown[]) => Promise<AxeResults> } };
      return axe.run({ exclude }, options);
    },
    { exclude, options },
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")} ${failureSummary?.replace(/\s+/g, " ")}`),
    );
}

/** Names of the animations that run now. */
export const animations = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    document
      .getAnimations()
      .filter(({ playState }) => playState === "running")
      .map(({ effect }) => {
        const { target } = effect as KeyframeEffect;
        return `${target?.tagName} ${target?.className}`;
      }),
  );

/** Things a person could use or read that stick out of the page to the side, where no box of theirs can be scrolled. */
export const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const hasScroller = (element: Element): boolean => {
      for (let box = element.parentElement; box; box = box.parentElement) {
        const { overflowX } = getComputedStyle(box);
        if (overflowX === "auto" || overflowX === "scroll") return true;
      }
      return false;
    };
    const isOut = (element: Element): boolean => {
      const { left, right, width, height } = element.getBoundingClientRect();
      return width > 1 && height > 1 && (left < -1 || right > innerWidth + 1) && !hasScroller(element);
    };
    const found = [...document.querySelectorAll("button, input, textarea, select, summary, h1, h2, h3, p, label, code")]
      .filter((element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && isOut(element))
      .map(({ tagName, textContent }) => `${tagName} ${textContent?.slice(0, 40)}`);
    const { scrollWidth } = document.documentElement;
    return scrollWidth > innerWidth ? [...found, `the page is ${scrollWidth} wide`] : found;
  });

/** Controls that Tab may come to and that then still do not stand in the window, or have something lying on them. */
export async function unreachable(page: Page): Promise<string[]> {
  await page.keyboard.press("Shift"); // the keyboard is in use now: what shows itself to it does
  return page.evaluate(() => {
    const focused = document.activeElement;
    const scope = [...document.querySelectorAll("[role=dialog], [role=alertdialog], [role=menu]")].at(-1) ?? document;
    const isHit = (element: HTMLElement): boolean => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      return (
        hit !== null && (element.contains(hit) || hit.closest("label")?.control === element || hit.contains(element))
      );
    };
    const found = [...scope.querySelectorAll<HTMLElement>("button, input, textarea, select, summary, [role=link]")]
      .filter((element) => element.tabIndex >= 0 && !element.matches(":disabled, [data-base-ui-focus-guard]"))
      .filter((element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }))
      .filter((element) => {
        element.focus();
        element.scrollIntoView({ block: "nearest" });
        return document.activeElement === element && !isHit(element);
      })
      .map((element) => `${element.tagName} ${element.ariaLabel ?? element.textContent?.slice(0, 40)}`);
    if (focused instanceof HTMLElement) focused.focus();
    return found;
  });
}

/** As it was at the end. */
const looks = [
  { language: "en", colorScheme: "dark" },
  { language: "zh-CN", colorScheme: "dark" },
  { language: "zh-CN", colorScheme: "light" },
  { language: "en", colorScheme: "light" },
] as const;

/** Nothing keeps anybody out of what stands there now; nothing moves, nothing sticks out. */
export async function expectOpenAsIs(page: Page, look: string): Promise<void> {
  const found = { barriers: await barriers(page), moving: await animations(page), cutOff: await cutOff(page) };
  expect.soft(found, look).toEqual({ barriers: [], moving: [], cutOff: [] });
}

/** The same in light and dark, English and Chinese. */
export async function expectOpen(app: App, page: Page): Promise<void> {
  const desk = aPage(app.desk);
  for (const { language, colorScheme } of looks) {
    await desk.call("settings.change", { change: { language } });
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction((wanted) => document.documentElement.lang === wanted, language);
    await expectOpenAsIs(page, `${language} ${colorScheme}`);
  }
  desk.close();
}
