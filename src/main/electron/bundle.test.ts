import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CONTENT_SECURITY_POLICY } from "../../shared/policy.ts";
import { serveBundle } from "./bundle.ts";

let root: string;
let answer: (request: Request) => Promise<Response>;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "lares-bundle-"));
  mkdirSync(join(root, "page", "assets"), { recursive: true });
  writeFileSync(join(root, "secret.html"), "secret");
  writeFileSync(join(root, "page", "index.html"), "<p>page</p>");
  writeFileSync(join(root, "page", "assets", "main.js"), "go()");
  answer = serveBundle(join(root, "page"));
});
afterAll(() => rmSync(root, { recursive: true }));

test("the files of the page are served, each as what it is", async () => {
  const page = await answer(new Request("app://bundle/index.html?a=1#b"));
  const script = await answer(new Request("app://bundle/assets/main.js"));

  expect([await page.text(), await script.text()]).toEqual(["<p>page</p>", "go()"]);
  expect([page, script].map(({ headers }) => headers.get("content-type"))).toEqual([
    "text/html; charset=utf-8",
    "text/javascript; charset=utf-8",
  ]);
  for (const { headers } of [page, script]) {
    expect(headers.get("content-security-policy")).toBe(CONTENT_SECURITY_POLICY);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
});

test.each([
  "app://bundle/missing.html",
  "app://bundle/assets",
  "app://bundle/../secret.html",
  "app://bundle/%2e%2e/secret.html",
  "app://bundle/..%2fsecret.html",
  "app://bundle/..%5c..%5cwindows%5cwin.ini",
  "app://bundle/index.html%00.png",
  "app://bundle//evil.test/x",
  "app://evil.test/index.html",
  "app://bundle.evil.test/index.html",
])("%s is not found", async (url) => {
  expect((await answer(new Request(url))).status).toBe(404);
});

test("nothing but reading is allowed", async () => {
  expect((await answer(new Request("app://bundle/index.html", { method: "POST", body: "x" }))).status).toBe(405);
});
