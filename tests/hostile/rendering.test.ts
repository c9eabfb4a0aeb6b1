import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { launchChromium } from "../support/chromium.ts";
import { type OpenPage, openPage } from "../support/open-page.ts";
import { aPage } from "../support/page.ts";
import { calls, type ScriptStep, says } from "../support/scripted-provider.ts";

interface Row {
  readonly id: string;
  readonly where: "answer" | "tool" | "title" | "paste" | "drop" | "copy" | "copy-answer";
  /** Pieces in brackets are repeated. */
  readonly input: string | readonly (string | readonly [string, number])[];
  readonly html?: string;
  readonly tool?: string;
  /** What a reader must see. */
  readonly shows: readonly string[];
  /** Links that can be opened, and pictures that are shown. */
  readonly links?: number;
  readonly images?: number;
  /** What is asked before the first of the links is opened. */
  readonly asks?: { readonly url: string; readonly warns: boolean };
  /** Too much for the parsers: it must never reach them. */
  readonly plain?: boolean;
}

const rows = JSON.parse(readFileSync(join(import.meta.dirname, "rendering.json"), "utf8")) as Row[];
const piecesOf = ({ input }: Row): (readonly [string, number])[] =>
  (typeof input === "string" ? [input] : input).map((piece) => (typeof piece === "string" ? [piece, 1] : piece));
const textOf = (row: Row): string =>
  piecesOf(row)
    .map(([piece, times]) => piece.repeat(times))
    .join("");

/** How the scripted model brings a row to the page. */
function repliesOf(row: Row): (readonly ScriptStep[])[] {
  if (row.where === "tool") {
    return [calls({ name: row.tool ?? "read_file", input: { path: textOf(row) } }), says(`Done with ${row.id}.`)];
  }
  return [says(row.where === "title" ? "Hello." : textOf(row))];
}

const stored = rows.filter(({ where }) => where !== "paste" && where !== "drop");
const questionOf = (row: Row): string => (row.where === "title" ? textOf(row) : `Row ${row.id}.`);

let hits = 0;
/** Plays evil.test: whatever connects is counted, whatever it wanted. */
const evil = createServer((socket) => {
  hits += 1;
  socket.destroy();
});
let browser: Browser;
let open: OpenPage;

beforeAll(async () => {
  await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
  const { port } = evil.address() as AddressInfo;
  browser = await launchChromium({ args: [`--host-resolver-rules=MAP evil.test 127.0.0.1:${port}`] });
  open = await openPage({
    browser,
    script: stored.flatMap(repliesOf),
    viewport: { width: 1280, height: 3600 }, // high enough for the names of all chats
    async before(app) {
      const page = aPage(app.desk);
      await page.call("settings.change", { change: { model: "scripted" } }); // else the page begins with getting one
      for (const row of stored) {
        const { chatId } = await page.call("chats.create", { private: false });
        await page.call("turns.send", { chatId, inboundId: `said-${row.id}`, text: questionOf(row) });
        // Asked for, because so long an answer is not told in events.
        await vi.waitFor(
          async () => {
            const [view] = (await page.call("chats.open", { chatId })).turns;
            if (view?.turn.stopReason !== "completed") throw new Error(`${row.id} has no answer yet`);
          },
          { interval: 5, timeout: 10_000 },
        );
      }
      page.close();
    },
  });
  await open.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
}, 60_000);

afterAll(async () => {
  await open?.close();
  await browser?.close();
  evil.close();
});

/** Opens the chat of a row and waits for its answer. */
async function show(row: Row): Promise<Locator> {
  const title = questionOf(row).slice(0, 40);
  await open.page.getByRole("navigation").getByText(title).first().click();
  const turn = open.page.locator("article").filter({ hasText: title });
  await turn.locator("footer").waitFor();
  await open.page.locator("main h1").filter({ hasText: title }).waitFor();
  return turn;
}

/** What must be true of the page whatever it shows. */
async function expectInert(): Promise<void> {
  const found = await open.page.evaluate(() => ({
    pwned: (window as { __pwned?: unknown }).__pwned,
    address: location.pathname,
    elements: [
      ...document.querySelectorAll(
        "main :is(script,iframe,object,embed,form:not([class]),meta,base,link,style,audio,video)",
      ),
    ].map(({ tagName }) => tagName),
    attributes: [...document.querySelectorAll("*")]
      .flatMap((element) => element.getAttributeNames().map((name) => `${element.tagName} ${name}`))
      .filter((name) => / (on\w+|srcdoc|action|formaction)$/.test(name)),
    addresses: [...document.querySelectorAll("main [href], main [src], main [srcset], main [ping]")].map(
      (element) => element.outerHTML,
    ),
  }));
  expect(found).toEqual({ pwned: undefined, address: "/", elements: [], attributes: [], addresses: [] });
  expect(hits).toBe(0);
}

const unbroken = (text: string): string => text.replace(/\s+/g, " ");

test("the trap works: a page without a policy reaches evil.test", async () => {
  const page = await browser.newPage();
  await page.goto("http://evil.test/").catch(() => undefined); // it gives no page, but it is reached
  await page.close();
  expect(hits).toBeGreaterThan(0);
  hits = 0;
});

describe("what a model, a tool or a person wrote", () => {
  test.each(stored)("$id ($where) is only shown", async (row) => {
    const turn = await show(row);
    await turn.locator("details").evaluateAll((all) => {
      for (const one of all) one.setAttribute("open", "");
    });
    for (const text of row.shows)
      await expect.poll(async () => unbroken((await turn.textContent()) ?? "")).toContain(text);
    if (row.links !== undefined) await expect.poll(() => turn.getByRole("link").count()).toBe(row.links);
    if (row.images !== undefined) await expect.poll(() => turn.locator("img").count()).toBe(row.images);
    const note = turn.getByText("Shown as plain text");
    if (row.where === "answer") await expect.poll(() => note.count()).toBe(row.plain ? 1 : 0);
    await expectInert();
  });

  test.each(rows.filter(({ asks }) => asks))("$id: its address is shown before it is opened", async (row) => {
    const turn = await show(row);
    await turn.getByRole("link").first().press("Enter");
    const dialog = open.page.getByRole("alertdialog");
    await expect.poll(() => dialog.textContent()).toContain(row.asks?.url);
    expect(await dialog.getByText("names another place").count()).toBe(row.asks?.warns ? 1 : 0);
    await open.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expectInert();
  });

  test.each(rows.filter(({ where }) => where.startsWith("copy")))(
    "$id: what is copied is what is seen",
    async (row) => {
      const turn = await show(row);
      const place = row.where === "copy" ? turn.locator("figure") : turn.locator("footer");
      await place.getByRole("button", { name: "Copy" }).click();
      await place.getByRole("button", { name: "Copied" }).waitFor();
      const copied = await open.page.evaluate(() => navigator.clipboard.readText());
      for (const text of row.shows) expect(copied).toContain(text);
    },
  );
});

describe("what a person brings", () => {
  test.each(rows.filter(({ where }) => where === "paste"))("$id: pasted, it is plain text or refused", async (row) => {
    const field = open.page.getByLabel("Message", { exact: true });
    await field.fill("");
    await open.page.evaluate(
      async ({ pieces, html }) => {
        const text = pieces.map(([piece, times]) => piece.repeat(times)).join("");
        const plain = new Blob([text], { type: "text/plain" });
        const rich = html ? { "text/html": new Blob([html], { type: "text/html" }) } : {};
        await navigator.clipboard.write([new ClipboardItem({ "text/plain": plain, ...rich })]);
      },
      { pieces: piecesOf(row), html: row.html ?? "" },
    );
    await field.press("ControlOrMeta+v");
    const form = open.page.locator("form").filter({ has: field });
    for (const text of row.shows) {
      await expect.poll(async () => `${await field.inputValue()} ${await form.textContent()}`).toContain(text);
    }
    await expectInert();
  });

  test.each(rows.filter(({ where }) => where === "drop"))("$id: dropped, it is not opened", async (row) => {
    const data = await open.page.evaluateHandle((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], "evil.url"));
      return transfer;
    }, textOf(row));
    const wasPrevented = await open.page.locator("main").evaluate((main, dataTransfer) => {
      const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
      main.dispatchEvent(event);
      return event.defaultPrevented;
    }, data);
    expect(wasPrevented).toBe(true);
    await expectInert();
  });
});

test("every row of the threats is here", () => {
  const ids = new Set(rows.map(({ id }) => id.replace(/[a-z]$/, "")));
  expect([...ids]).toEqual(Array.from({ length: 46 }, (_, index) => `C${index + 1}`));
});

test("the console of the browser stayed silent", () => {
  expect(open.problems).toEqual([]);
});
