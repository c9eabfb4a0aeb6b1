import { expect, test } from "vitest";
import { lockedPreferences, mayNavigate, pageUrl } from "./lockdown.ts";

test("a window has exactly the locked-down preferences", () => {
  expect(lockedPreferences("/preload.cjs")).toEqual({
    preload: "/preload.cjs",
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
