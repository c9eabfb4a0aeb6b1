import { expect, test } from "vitest";
import {
  type CallingFrame,
  isPage,
  lockedPreferences,
  mayLoad,
  mayNavigate,
  originOf,
  pageUrl,
  refusedSwitch,
} from "./lockdown.ts";

test("a window has exactly the locked-down preferences", () => {
  expect(lockedPreferences("/preload.cjs")).toEqual({
    preload: "/preload.cjs",
    partition: "lares", // not "persist:lares": nothing of a page is kept on the disk
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    spellcheck: false,
  });
});

test.each([
  "file:///etc/passwd",
  "smb://evil/share",
  "https://evil.test/",
  "app://bundle.evil.test/index.html",
  "app://bundle@evil.test/index.html",
  "app://user@bundle/index.html",
  "apps://bundle/index.html",
  "javascript:alert(1)",
  "data:text/html,hello",
  "blob:app://bundle/1",
  "about:blank",
  "not an address",
  "",
])("the built page may not go to %j", (target) => {
  expect(mayNavigate(target, pageUrl)).toBe(false);
});

test.each([
  ["app://bundle/index.html#settings", pageUrl],
  ["http://localhost:5173/", "http://localhost:5173"],
])("%j is still the page %j", (target, page) => {
  expect(mayNavigate(target, page)).toBe(true);
});

test.each(["http://localhost.evil.test:5173/", "http://localhost@evil.test:5173/", "http://localhost:5174/"])(
  "the page of the development server may not go to %j",
  (target) => {
    expect(mayNavigate(target, "http://localhost:5173")).toBe(false);
  },
);

test.each([
  "app://bundle/assets/index.js",
  "data:image/png;base64,AAAA",
  "blob:app://bundle/0b5a",
  "devtools://devtools/bundled/inspector.html",
])("the page may load %j", (url) => {
  expect(mayLoad(url, pageUrl)).toBe(true);
});

test.each([
  "https://evil.test/x.png",
  "http://127.0.0.1:9222/json",
  "file:///etc/passwd",
  "ws://bundle/x",
  "wss://evil.test/",
  "ftp://evil.test/",
  "chrome://crash",
  "blob:https://evil.test/0b5a",
  "blob:app://bundle.evil.test/0b5a",
  "app://evil.test/index.html",
  "",
])("the page may not load %j", (url) => {
  expect(mayLoad(url, pageUrl)).toBe(false);
});

test("the development server's page may hear of changes from that server, and of nothing from another", () => {
  const page = "http://localhost:5173";
  expect(mayLoad("ws://localhost:5173/?token=a", page)).toBe(true);
  expect(mayLoad("ws://localhost:5174/", page)).toBe(false);
  expect(originOf(page)).toBe(page);
});

const frame = (url: string, { origin = "app://bundle", parent = null as unknown } = {}): CallingFrame => ({
  url,
  origin,
  parent,
});

test("a call of the page's own main frame is a call of the page", () => {
  const main = frame(`${pageUrl}#chat`);
  expect(isPage(main, main, pageUrl)).toBe(true);
});

test.each([
  ["an empty address", frame("")],
  ["about:blank", frame("about:blank")],
  ["another host behind a user name", frame("app://bundle@evil.test/", { origin: "app://evil.test" })],
  ["another host", frame("https://evil.test/", { origin: "https://evil.test" })],
  ["an opaque origin", frame(pageUrl, { origin: "null" })],
  ["a frame inside another", frame(pageUrl, { parent: {} })],
])("a call from %s is refused", (_what, calling) => {
  expect(isPage(calling, calling, pageUrl)).toBe(false);
});

test("a call of a frame that is gone, or that is not the main one, is refused", () => {
  const main = frame(pageUrl);
  expect(isPage(null, main, pageUrl)).toBe(false);
  expect(isPage(frame(pageUrl), main, pageUrl)).toBe(false);
});

test.each([
  "--inspect",
  "--inspect=0.0.0.0:9229",
  "--inspect-brk=1",
  "--remote-debugging-port=9222",
  "--remote-debugging-pipe",
  "--remote-allow-origins=*",
  "-inspect",
  "/INSPECT",
  "--js-flags=--expose-internals",
  "--renderer-cmd-prefix=xterm",
  "--gpu-launcher=sh",
  "--disable-web-security",
])("the packed app does not start with %s", (argument) => {
  expect(refusedSwitch(["--lang=de", argument])).toBe(argument);
});

test.each(["--lang=de", "--inspection", "assistant://approve?id=1", "inspect", "--enable-logging"])(
  "the packed app starts with %s",
  (argument) => {
    expect(refusedSwitch([argument])).toBeUndefined();
  },
);
