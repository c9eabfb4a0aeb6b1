import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { StreamBatch } from "../../src/shared/stream.ts";
import { launchChromium } from "../support/chromium.ts";
import { aPerson } from "../support/person.ts";
import { starterModel } from "../support/starter.ts";
import { type HostWindow, type OpenedWindow, openWindow } from "./window.ts";

let browser: Browser;
let home: string;
const open = new Set<OpenedWindow>();

beforeAll(async () => {
  browser = await launchChromium();
}, 60_000);
afterAll(() => browser.close());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "lares-window-"));
});
afterEach(async () => {
  await Promise.all([...open].map((one) => one.close()));
  open.clear();
  rmSync(home, { recursive: true, force: true });
});

type Options = Partial<Parameters<typeof openWindow>[0]>;

async function start(options: Options = {}): Promise<OpenedWindow> {
  const opened = await openWindow({ home, browser, ...options });
  open.add(opened);
  return opened;
}

const call = (page: Page, name: string, input: object = {}) =>
  page.evaluate(([name, input]) => (window as HostWindow).host.invoke(name, input), [name, input] as const);

/** The events of a page from now on; resolves when `isLast` says so. */
function listen(page: Page, isLast: string): Promise<string[]> {
  return page.evaluate(
    (last) =>
      new Promise<string[]>((resolve) => {
        const types: string[] = [];
        const stop = (window as HostWindow).host.onBatch(({ seq, events }: StreamBatch) => {
          void (window as HostWindow).host.invoke("stream.ack", { seq });
          types.push(...events.map(({ event }) => event.type));
          if (!types.includes(last)) return;
          stop();
          resolve(types);
        });
      }),
    isLast,
  );
}

test("a message that is sent in the window is answered by the model on this computer, piece by piece", async () => {
  const model = await starterModel();
  const { page } = await start();
  expect(await call(page, "models.use", { model })).toMatchObject({ ok: true });
  const { value } = (await call(page, "chats.create", { private: false })) as { value: { chatId: string } };
  const { chatId } = value;
  const events = listen(page, "turn.stored");
  await call(page, "turns.send", { chatId, inboundId: "first", text: "What is the capital of France?" });

  expect(await events).toEqual(expect.arrayContaining(["accepted", "chat"]));
  const shown = await call(page, "chats.open", { chatId });
  expect(JSON.stringify(shown)).toContain("Paris");
});

test("on a new computer three actions bring an answer: get the model, type, Enter", async () => {
  await starterModel(); // in the cache of this computer, where the window finds it
  const { page } = await start();
  const me = aPerson(page);
  await page.getByRole("button", { name: /^Get it: SmolLM2/ }).click();
  await me.box.waitFor();
  await page.keyboard.type("What is the capital of France?"); // the cursor is in the box already
  await page.keyboard.press("Enter");

  await me.answered("What is the capital of France?");
  expect(await me.answer("What is the capital of France?").textContent()).toContain("Paris");
});

test("a model file that is dropped on the window is explained, and used where it is", async () => {
  const model = await starterModel();
  const { page } = await start();
  await page.getByRole("button", { name: /^Get it: SmolLM2/ }).waitFor();
  await page.evaluate((path) => {
    const file = Object.assign(new File(["x"], "mine.gguf"), { standInPath: path });
    const drop = new DragEvent("drop", { cancelable: true });
    Object.defineProperty(drop, "dataTransfer", { value: { types: ["Files"], files: [file] } });
    window.dispatchEvent(drop);
  }, model);
  const facts = page.getByRole("region", { name: /^This file is SmolLM2/i });
  await facts.getByRole("button", { name: "Use it where it is" }).click();
  await page.getByRole("button", { name: /^Model of this chat: Local · SmolLM2/ }).waitFor();
});

test("what one window changes, the other one hears", async () => {
  const opened = await start();
  expect(await call(opened.page, "shell.newWindow")).toEqual({ ok: true, value: { supported: true, address: null } });
  await expect.poll(() => opened.pages().length).toBe(2);
  const [first, second] = opened.pages() as [Page, Page];
  await second.waitForFunction(() => "host" in window);
  await call(second, "app.hello");
  const heard = listen(second, "settings");
  await call(first, "settings.change", { change: { theme: "dark" } });
  expect(await heard).toContain("settings");
});

test("a page that is loaded anew is a new client: its batches are counted from 1 again", async () => {
  const { page } = await start();
  const firstBatch = async (theme: string) => {
    await call(page, "app.hello");
    const batch = page.evaluate(
      () => new Promise<StreamBatch>((resolve) => void (window as HostWindow).host.onBatch((batch) => resolve(batch))),
    );
    await call(page, "settings.change", { change: { theme } });
    return (await batch).seq;
  };
  await firstBatch("dark");
  await page.reload();
  expect(await firstBatch("light")).toBe(1);
});

test("the menus speak the language of the settings, at once and at the next start", async () => {
  const opened = await start();
  const tray = async () => (await opened.main.ask<{ tray: string[] }>("menus")).tray;
  expect(await tray()).toEqual(["Show Lares", "New chat", "Quit Lares"]);
  await call(opened.page, "settings.change", { change: { language: "zh-CN" } });
  await expect.poll(tray).toEqual(["显示 Lares", "新对话", "退出 Lares"]);
  await opened.close();

  const again = await start();
  await call(again.page, "app.hello");
  await expect.poll(async () => (await again.main.ask<{ tray: string[] }>("menus")).tray[2]).toBe("退出 Lares");
});

test("new chat in the menu shows the window where its page begins one", async () => {
  const opened = await start();
  await opened.main.ask("click", "New chat");
  await expect.poll(() => opened.told).toContainEqual({ what: "show", value: 1 });
  await opened.page.waitForURL("https://bundle/index.html#new-chat");
});

test("a window opens where it was closed, in the size it had", async () => {
  const bounds = { x: 111, y: 222, width: 700, height: 500 };
  const first = await start();
  await first.main.ask("move", 1, bounds);
  await first.main.ask("close", 1);
  expect(await first.ended).toBe(0);

  const second = await start();
  expect(await second.main.ask("report")).toMatchObject({ windows: [{ bounds }] });
});

test("closing the last window quits, and the data folder is free for the next start", async () => {
  const first = await start();
  await call(first.page, "app.hello");
  await first.main.ask("close", 1);
  expect(await first.ended).toBe(0);
  const second = await start();
  expect(await call(second.page, "app.hello")).toMatchObject({ ok: true });
  expect(second.dialogs).toEqual([]);
});

test("a second Lares on the same data folder shows what is there, and says who has it", async () => {
  const first = await start();
  await call(first.page, "app.hello");
  const second = await start();
  const error = expect.objectContaining({ code: "data-busy" });
  expect(await call(second.page, "app.hello")).toMatchObject({
    ok: true,
    value: { storage: { mode: "read-only", error } },
  });
  expect(second.dialogs).toEqual([]);
});

test("with a data folder that cannot be one the window opens all the same, says so, and does no harm", async () => {
  const file = join(home, "file");
  writeFileSync(file, "mine");
  const opened = await start({ home: file });
  const storage = { mode: "none", error: { code: "data-folder", message: expect.stringContaining(file) } };
  expect(await call(opened.page, "app.hello")).toMatchObject({ ok: true, value: { storage } });
  expect(readFileSync(file, "utf8")).toBe("mine");
});

test("a second start on the same computer ends at once and opens no window", async () => {
  const second = await start({ variables: { STAND_IN_SECOND: "yes" } });
  expect(await second.ended).toBe(0);
  expect([second.pages(), second.output(), existsSync(join(home, "lares.db"))]).toEqual([[], "", false]);
});

test("a page that crashes is loaded again three times; then a person is asked", async () => {
  let again = true;
  const opened = await start({
    answer: () => {
      const response = again ? 0 : 1;
      again = false;
      return { response };
    },
  });
  const crash = async () => {
    const before = opened.page;
    await opened.main.ask("unresponsive", 1);
    await expect
      .poll(() => opened.page !== before && opened.page.url(), { timeout: 10_000 })
      .toBe("https://bundle/index.html");
    expect(await call(opened.page, "app.hello")).toMatchObject({ ok: true });
  };
  for (let times = 0; times < 3; times += 1) await crash();
  expect(opened.dialogs).toEqual([]);
  await crash();
  expect(opened.dialogs).toMatchObject([{ options: { message: "The page of Lares keeps stopping" } }]);
});

test("a file is picked, a text saved and a folder shown by the dialogs and programs of the system", async () => {
  const saved = join(home, "chat.md");
  const opened = await start({
    answer: ({ kind }) =>
      kind === "open" ? { canceled: false, filePaths: ["/models/a.gguf"] } : { canceled: false, filePath: saved },
  });
  const { page } = opened;
  const value = async (name: string, input: object) => ((await call(page, name, input)) as { value: unknown }).value;

  expect(await value("shell.pickFile", { kind: "model" })).toEqual({ supported: true, path: "/models/a.gguf" });
  expect(await value("shell.saveText", { name: "../../a:b\n.md", text: "# Chat 中" })).toEqual({
    supported: true,
    saved: true,
  });
  expect(readFileSync(saved, "utf8")).toBe("# Chat 中");
  expect(opened.dialogs.at(-1)?.options).toMatchObject({ defaultPath: "ab.md" });
  expect(await value("shell.showFolder", { folder: "data" })).toEqual({ supported: true });
  expect(opened.told).toContainEqual({ what: "openPath", value: home });
});

test("a dialog that is left picks nothing and saves nothing, and what cannot be saved is said", async () => {
  const folder = join(home, "taken");
  mkdirSync(folder);
  let kind = "left";
  const opened = await start({ answer: () => (kind === "left" ? undefined : { canceled: false, filePath: folder }) });
  expect(await call(opened.page, "shell.pickFile", { kind: "folder" })).toMatchObject({ value: { path: null } });
  expect(await call(opened.page, "shell.saveText", { name: "a", text: "b" })).toMatchObject({
    value: { saved: false },
  });
  kind = "taken";
  expect(await call(opened.page, "shell.saveText", { name: "a", text: "b" })).toMatchObject({
    ok: false,
    error: { code: "disk-error", message: expect.stringContaining(folder) },
  });
});

test("quitting in the middle of an answer stops it in order, and keeps the question and what there was of the answer", async () => {
  const model = await starterModel();
  const first = await start();
  await call(first.page, "models.use", { model });
  const { value } = (await call(first.page, "chats.create", { private: false })) as { value: { chatId: string } };
  const begun = listen(first.page, "delta");
  await call(first.page, "turns.send", { ...value, inboundId: "first", text: "Count to a thousand." });
  await begun;
  expect(await first.close()).toBe(0);

  const second = await start();
  const shown = await call(second.page, "chats.open", value);
  expect(shown).toMatchObject({
    value: { turns: [{ inbound: { text: "Count to a thousand." }, turn: { stopReason: "aborted" } }] },
  });
  expect(JSON.stringify(shown)).toContain('"role":"assistant"');
});
