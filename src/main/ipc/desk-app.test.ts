import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aDesk } from "../../../tests/support/desk.ts";
import { aPage } from "../../../tests/support/page.ts";
import { says } from "../../../tests/support/scripted-provider.ts";
import type { Shell } from "../../shared/bridge.ts";

test("a page learns where it is", async () => {
  const { app, page } = await aDesk([], { kind: "browser" });
  const hello = await page.call("app.hello", {});
  expect(hello).toMatchObject({ shell: "browser", platform: process.platform, fetches: [] });
  expect(hello.version).toMatch(/^\d+\.\d+\.\d+/);
  expect(hello.folders).toMatchObject({ data: app.dataFolder, models: join(app.dataFolder, "models") });
  expect(hello.settings).toMatchObject({ theme: "system", contextTokens: 8192 });
});

test("one setting is changed, the others stay as they were chosen, every page hears of it, and it is kept", async () => {
  const { app, page } = await aDesk();
  const other = aPage(app.desk);
  await page.call("settings.change", { change: { temperature: 0.5 } });
  const settings = await page.call("settings.change", { change: { theme: "dark" } });
  expect(settings).toMatchObject({ theme: "dark", temperature: 0.5, maxOutputTokens: 1024 });
  expect((await other.heard("settings", ({ settings }) => settings.theme === "dark")).settings).toEqual(settings);
  expect(JSON.parse(app.store.setting("settings") ?? "")).toEqual({ theme: "dark", temperature: 0.5 });
});

test("a changed setting holds from the next turn on", async () => {
  const { page, model } = await aDesk([says("one"), says("two")]);
  await page.say("c1", "Hello");
  await page.call("settings.change", { change: { maxOutputTokens: 77 } });
  await page.say("c1", "Hello");
  expect(model.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([1024, 77]);
});

test("another workspace holds from the next turn on; one that is no folder is refused", async () => {
  const { app, page, model } = await aDesk([says("one"), says("two")]);
  const workspace = join(app.dataFolder, "papers");
  const change = () => page.call("settings.change", { change: { workspace } });
  await expect(change()).rejects.toMatchObject({ code: "bad-request" });
  await page.say("c1", "Hello");
  mkdirSync(workspace);
  await change();
  await page.say("c1", "Hello");
  const promptOf = (at: number) => JSON.stringify(model.requests[at]?.messages.at(-1));
  expect(promptOf(0)).not.toContain("papers");
  expect(promptOf(1)).toContain("Workspace: papers");
  expect((await page.call("app.hello", {})).folders.workspace).toBe(workspace);
  expect(await page.call("settings.change", { change: { workspace: "" } })).not.toHaveProperty("workspace");
});

test("what the place of a page cannot do is said, not tried", async () => {
  const { page } = await aDesk([], { kind: "browser" });
  expect(await page.call("shell.pickFile", { kind: "model" })).toEqual({ supported: false, path: null });
  expect(await page.call("shell.saveText", { name: "a.txt", text: "a" })).toEqual({ supported: false, saved: false });
  expect(await page.call("shell.openLink", { url: "https://example.org/" })).toEqual({ supported: false });
  expect(await page.call("shell.showFolder", { folder: "data" })).toEqual({ supported: false });
  expect(await page.call("shell.newWindow", {})).toEqual({ supported: false, address: null });
});

test("what it can do is asked of it, and a link is looked at once more before it leaves", async () => {
  const asked: string[] = [];
  const shell: Shell = {
    kind: "window",
    pickFile: async (kind) => `/picked/${kind}`,
    saveText: async (name, text) => asked.push(`save ${name} ${text}`) > 0,
    openLink: async (url) => void asked.push(`open ${url}`),
    showFolder: async (path) => void asked.push(`show ${path}`),
    newWindow: async () => null,
  };
  const { app, page } = await aDesk([], shell);
  expect(await page.call("shell.pickFile", { kind: "folder" })).toEqual({ supported: true, path: "/picked/folder" });
  expect(await page.call("shell.saveText", { name: "a.txt", text: "a" })).toEqual({ supported: true, saved: true });
  await page.call("shell.openLink", { url: "https://example.org/a" });
  await page.call("shell.showFolder", { folder: "models" });
  for (const url of ["file:///etc/passwd", "javascript:alert(1)", "http://127.0.0.1/", "https://a@b.example/", "x"]) {
    await expect(page.call("shell.openLink", { url })).rejects.toMatchObject({ code: "bad-request" });
  }
  expect(asked).toEqual(["save a.txt a", "open https://example.org/a", `show ${join(app.dataFolder, "models")}`]);
});

test("the models of this computer are listed, and what the catalogue has not is not found", async () => {
  const { page } = await aDesk();
  const { models, memoryBytes } = await page.call("models.list", {});
  expect(memoryBytes).toBeGreaterThan(0);
  expect(models.length).toBeGreaterThan(0);
  await expect(page.call("models.fetch", { modelId: "none" })).rejects.toMatchObject({ code: "not-found" });
  await expect(page.call("models.use", { model: "/no/such.gguf" })).rejects.toMatchObject({ code: "model-missing" });
});

test("a page that cannot be reached any more is let go, and the others hear on", async () => {
  const { app, page } = await aDesk([says("one"), says("two")]);
  let posts = 0;
  app.desk.connect({ kind: "window" }, () => {
    posts++;
    throw new Error("the window is destroyed");
  });
  await page.say("c1", "Hello");
  await page.say("c1", "Hello");
  expect(posts).toBe(1);
});
