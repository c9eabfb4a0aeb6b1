import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fuses } from "../../src/main/electron/fuses.ts";
import { CALL_CHANNEL } from "../../src/shared/bridge.ts";
import { launchChromium } from "../support/chromium.ts";
import { type OpenedWindow, openWindow } from "./window.ts";

interface Row {
  readonly id: string;
  readonly way: string;
  readonly input: string;
  readonly method?: string;
  readonly status?: number;
  readonly on?: boolean;
  readonly frame?: "main" | "child" | "gone";
}

const rows = JSON.parse(readFileSync("tests/hostile/navigation.json", "utf8")) as Row[];
const home = mkdtempSync(join(tmpdir(), "lares-navigation-"));
let browser: Browser;
let opened: OpenedWindow;

beforeAll(async () => {
  browser = await launchChromium();
  opened = await openWindow({ home, browser });
}, 60_000);
afterAll(async () => {
  await opened.close();
  await browser.close();
  rmSync(home, { recursive: true });
});

const isWeb = (url: string) => /^https?:/.test(url);

/** What is refused in each way, on the built main process; what Chromium can be made to try, it tries as well. */
const ways: Readonly<Record<string, (row: Row) => Promise<void>>> = {
  async "new window"({ input }) {
    expect(await opened.main.ask("windowOpen", 1, input)).toBe("deny");
    const popup = isWeb(input) ? opened.page.waitForEvent("popup") : undefined;
    if (isWeb(input)) await opened.page.evaluate((url) => void window.open(url), input);
    const tried = await popup;
    if (tried && !tried.isClosed()) await tried.waitForEvent("close");
    expect(opened.pages()).toHaveLength(1);
  },
  async navigate({ input }) {
    const details = { url: input, isMainFrame: true };
    expect(await opened.main.ask("preventsOnWindow", 1, "will-frame-navigate", details)).toBe(true);
    expect(await opened.main.ask("preventsOnWindow", 1, "will-redirect", details)).toBe(true);
    if (isWeb(input)) {
      const failed = opened.page.waitForEvent("requestfailed");
      await opened.page.evaluate((url) => location.assign(url), input);
      await failed;
    }
    expect(await opened.page.evaluate(() => location.href)).toMatch(/^https:\/\/bundle\//);
  },
  async request({ input, method = "GET", status }) {
    expect(await opened.main.ask("fetch", "lares", method, input)).toMatchObject({ status });
  },
  async webview() {
    expect(await opened.main.ask("preventsOnWindow", 1, "will-attach-webview", {})).toBe(true);
  },
  async frame({ input }) {
    const details = { url: input, isMainFrame: false };
    expect(await opened.main.ask("preventsOnWindow", 1, "will-frame-navigate", details)).toBe(true);
    const blocked = await opened.page.evaluate(
      (url) =>
        new Promise<string>((resolve) => {
          addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective), { once: true });
          document.body.append(Object.assign(document.createElement("iframe"), { src: url }));
        }),
      input,
    );
    expect(blocked).toBe("frame-src");
  },
  // Chromium has so small a file before it can be told to drop it; Electron asks first.
  async download() {
    expect(await opened.main.ask("preventsOnSession", "will-download")).toBe(true);
  },
  async permission({ input }) {
    const answers = await opened.main.ask<boolean[][]>("permission", input);
    expect(answers).toEqual([
      [false, false, false],
      [false, false, false],
    ]);
  },
  async switch({ input }) {
    const refused = await openWindow({ home, browser, argv: [input] });
    expect(await refused.ended).toBe(1);
    expect(refused.pages()).toEqual([]);
    expect(refused.output()).toContain(`Lares does not start with ${input}`);
  },
  // Only the packed binary can show what a fuse does; here is what it will be packed with.
  async fuse({ input, on }) {
    expect(fuses.find(({ name }) => name === input)).toMatchObject({ on });
  },
  async "second start"({ input }) {
    const before = opened.told.length;
    await opened.main.ask("emit", "second-instance", ["lares", input], "/", null);
    await opened.page.evaluate(() => undefined);
    expect(opened.told.slice(before)).toEqual([{ what: "show", value: 1 }]);
    expect([opened.dialogs, opened.pages().length, opened.page.url()]).toEqual([[], 1, "https://bundle/index.html"]);
  },
  async call({ input, frame }) {
    const from = frame === "gone" ? null : { url: input, isMain: frame === "main" };
    expect(await opened.main.ask("invoke", 1, from, CALL_CHANNEL, ["app.hello", {}])).toMatchObject({
      ok: false,
      error: { code: "bad-request" },
    });
  },
};

test.each(rows)("$id: $way $input", (row) => ways[row.way]!(row));

test("the page itself is answered, so the refusals above mean something", async () => {
  const page = { url: "app://bundle/index.html", isMain: true };
  expect(await opened.main.ask("invoke", 1, page, CALL_CHANNEL, ["app.hello", {}])).toMatchObject({ ok: true });
  expect(await opened.main.ask("fetch", "lares", "GET", page.url)).toMatchObject({ status: 200 });
  expect(
    await opened.main.ask("preventsOnWindow", 1, "will-frame-navigate", { url: page.url, isMainFrame: true }),
  ).toBe(false);
  expect(await opened.main.ask("permission", "notifications")).toEqual(Array(2).fill([true, true, false]));
});

test("the hostile rows are all there: A1 to A20, B1 to B4", () => {
  const ids = new Set(rows.map(({ id }) => id.replace(/[a-z]+$/, "")));
  const expected = [...Array.from({ length: 20 }, (_, index) => `A${index + 1}`), "B1", "B2", "B3", "B4"];
  expect([...ids]).toEqual(expected);
});
