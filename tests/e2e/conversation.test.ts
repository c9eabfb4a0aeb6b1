import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { AppError } from "../../src/shared/errors.ts";
import { launchChromium } from "../support/chromium.ts";
import { aGate } from "../support/desk.ts";
import { type OpenPage, type OpenPageOptions, openPage } from "../support/open-page.ts";
import { aPage } from "../support/page.ts";
import { type ScriptStep, says } from "../support/scripted-provider.ts";

let browser: Awaited<ReturnType<typeof launchChromium>>;
let open: OpenPage;

beforeAll(async () => {
  browser = await launchChromium();
}, 60_000);
afterEach(async () => {
  const { problems } = open;
  await open.close();
  expect(problems).toEqual([]);
});
afterAll(() => browser.close());

/** A page with a model that plays the script, and perhaps a chat with what was said before. */
async function start(script: ReadonlyArray<readonly ScriptStep[]>, more: OpenPageOptions & { said?: string[] } = {}) {
  const { said = [], ...options } = more;
  open = await openPage({
    browser,
    script,
    ...options,
    async before(app) {
      const page = aPage(app.desk);
      await page.call("settings.change", { change: { model: "scripted" } });
      const { chatId } = await page.call("chats.create", { private: false });
      for (const text of said) await page.say(chatId, text);
      page.close();
    },
  });
  const { page } = open;
  await page.getByLabel("Message", { exact: true }).waitFor();
  return page;
}

const field = (page: Page) => page.getByLabel("Message", { exact: true });
const turn = (page: Page, question: string) => page.locator("article").filter({ hasText: question });
const scroller = (page: Page) => page.getByRole("region", { name: "Conversation" });
const fromEnd = (page: Page) =>
  scroller(page).evaluate((box) => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight));

async function ask(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press("Enter");
}

test("a question is answered, piece by piece, and says where it was made", async () => {
  const gate = aGate();
  const page = await start([[{ type: "text", text: "The **whole" }, gate.step, ...says(" answer**.")]]);
  await field(page).fill("first line");
  await field(page).press("Shift+Enter");
  await page.keyboard.type("second line");
  await field(page).press("Enter");
  expect(await field(page).inputValue()).toBe("");
  await turn(page, "second line")
    .locator("strong")
    .filter({ hasText: "The whole".slice(4) })
    .waitFor();
  gate.open();
  await turn(page, "second line").getByText("stayed on this computer").waitFor();
  expect(await turn(page, "second line").locator("strong").textContent()).toBe("whole answer");
  expect(await page.getByRole("status").filter({ hasText: "complete" }).count()).toBe(1);
});

test("Esc stops the answer, and trying again keeps both", async () => {
  const gate = aGate();
  const page = await start([[{ type: "text", text: "Half" }, gate.step, ...says(" never")], says("Whole")]);
  await ask(page, "Tell me");
  await page.getByText("Half").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("You stopped this answer.").waitFor();
  gate.open();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Whole").waitFor();
  await page.getByText("2/2").waitFor();
  await page.getByRole("button", { name: "Previous version" }).press("Enter");
  await page.getByText("Half").waitFor();
  await page.getByText("1/2").waitFor();
  expect(await page.getByText("never").count()).toBe(0);
});

test("an edited question is a branch; leaving the edit brings the draft back", async () => {
  const page = await start([says("Red."), says("Blue.")]);
  await ask(page, "Colour of fire?");
  await field(page).fill("a draft");
  await page.getByRole("button", { name: "Edit question" }).click();
  expect(await field(page).inputValue()).toBe("Colour of fire?");
  await page.keyboard.press("Escape");
  expect(await field(page).inputValue()).toBe("a draft");
  await page.getByRole("button", { name: "Edit question" }).click();
  await ask(page, "Colour of the sky?");
  await page.getByText("Blue.").waitFor();
  await page.getByText("2/2").waitFor();
  expect(await turn(page, "Colour of fire?").count()).toBe(0);
  expect(await field(page).inputValue()).toBe("a draft");
});

test("a message sent meanwhile waits, and can be taken back into the box", async () => {
  const gate = aGate();
  const page = await start([[{ type: "text", text: "Busy" }, gate.step, ...says(" done")]]);
  await ask(page, "First");
  await page.getByText("Busy").waitFor();
  await ask(page, "Then this");
  const chips = page.getByRole("list", { name: "Waiting messages" });
  await chips.getByText("in this answer").waitFor();
  await chips.getByRole("button", { name: "Edit" }).click();
  await chips.waitFor({ state: "detached" });
  expect(await field(page).inputValue()).toBe("Then this");
  gate.open();
  await page.getByText("Busy done").waitFor();
});

test("a turn that failed says why and what to do", async () => {
  const failed = new AppError("model-held", "The model made the engine stop twice.");
  const page = await start([[failed], says("Better.")]);
  await ask(page, "Hello?");
  await page.getByRole("heading", { name: "This model stopped the engine before" }).waitFor();
  await page.getByText("The model made the engine stop twice.").waitFor();
  await page.getByRole("article").getByRole("button", { name: "Try again" }).first().click();
  await page.getByText("Better.").waitFor();
});

test("an answer is read where one stands; at its end it is followed", async () => {
  const lines = Array.from({ length: 60 }, (_, at) => `Paragraph ${at}.\n\n`).join("");
  const gates = [aGate(), aGate()] as const;
  const text = (piece: string): ScriptStep => ({ type: "text", text: piece });
  const page = await start([
    [text(lines), gates[0].step, text(`${lines}END1\n\n`), gates[1].step, ...says(`${lines}END2`)],
  ]);
  await ask(page, "Go on");
  await page.getByText("Paragraph 59.").waitFor();
  await expect.poll(() => fromEnd(page)).toBeLessThan(4);
  await scroller(page).hover();
  await page.mouse.wheel(0, -700);
  const down = page.getByRole("button", { name: "Jump to the newest message" });
  await down.waitFor();
  const top = await scroller(page).evaluate((box) => box.scrollTop);
  gates[0].open();
  await page.getByText("END1").waitFor({ state: "attached" });
  expect(await scroller(page).evaluate((box) => box.scrollTop)).toBe(top);
  await down.click();
  await down.waitFor({ state: "detached" });
  gates[1].open();
  await page.getByText("END2").waitFor();
  await expect.poll(() => fromEnd(page)).toBeLessThan(4);
});

test("what was typed is there again after a reload, and after another chat", async () => {
  const page = await start([says("Yes.")], { said: ["Old chat"] });
  await field(page).fill("not sent yet");
  await page.getByRole("heading", { name: "Old chat" }).click();
  await page.reload();
  await expect.poll(() => field(page).inputValue()).toBe("not sent yet");
});

test("Enter that ends a composition sends nothing", async () => {
  const page = await start([says("No.")]);
  await field(page).fill("ni hao");
  await field(page).evaluate((box) => {
    const key = { key: "Enter", bubbles: true, cancelable: true };
    box.dispatchEvent(new KeyboardEvent("keydown", { ...key, isComposing: true, keyCode: 229 }));
    box.dispatchEvent(new KeyboardEvent("keydown", { ...key, keyCode: 229 }));
  });
  expect(await field(page).inputValue()).toBe("ni hao");
  expect(open.model.requests).toHaveLength(0);
});

test("a long chat opens at its end, keeps the place while earlier turns come, and goes to a search hit", async () => {
  const said = Array.from({ length: 70 }, (_, at) => (at === 3 ? "Where is the needle?" : `Question ${at}`));
  const page = await start([], { said, afterwards: says("A long answer.\n\n".repeat(12)) });
  await turn(page, "Question 69").waitFor();
  await expect.poll(() => fromEnd(page)).toBeLessThan(4);
  const place = await scroller(page).evaluate((box) => {
    box.scrollTop = 900; // near enough to the top that the turns before are read
    return box.scrollHeight - box.scrollTop;
  });
  await expect.poll(() => scroller(page).evaluate((box) => box.scrollTop)).toBeGreaterThan(3_000);
  const now = await scroller(page).evaluate((box) => box.scrollHeight - box.scrollTop);
  expect(Math.abs(now - place)).toBeLessThan(40);
  await page.getByRole("textbox", { name: "Search" }).fill("needle");
  await page
    .getByRole("navigation")
    .getByRole("button", { name: /needle/ })
    .click();
  const found = turn(page, "Where is the needle?");
  await found.waitFor();
  const offset = () =>
    found.evaluate(
      (one) => one.getBoundingClientRect().top - (one.closest("section")?.getBoundingClientRect().top ?? 0),
    );
  await expect.poll(async () => Math.abs(await offset())).toBeLessThan(40);
});

test("an empty chat teaches, and its examples fill the box", async () => {
  const page = await start([]);
  const example = page.getByRole("button", { name: "Explain compound interest" });
  await example.click();
  await expect.poll(() => field(page).inputValue()).toContain("compound interest");
  expect(await field(page).evaluate((box) => box === document.activeElement)).toBe(true);
});
