import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AppError } from "../../src/shared/errors.ts";
import { expectOpen } from "../support/access.ts";
import { aGate } from "../support/desk.ts";
import { type OpenPage, openPage } from "../support/open-page.ts";
import { calls, type ScriptStep, says } from "../support/scripted-provider.ts";

const everything = `
# The lease

It ends on **31 August 2027**, see [the contract](https://example.org/contract) or https://example.org/very/long/${"path/".repeat(20)}.
Not [your bank](https://evil.example/login), not [this](javascript:alert), not <b>bold</b>. ~~No.~~ \`inline code\`[^1]

| What | When | Section |
|---|---|---:|
| End of term | 31 August 2027 | 2 |
${"| A very long cell | that goes on | 9 |\n".repeat(3)}
\`\`\`ts
// how long it takes
export const days = (from: number, to: number): string => \`\${(to - from) / 86_400_000} days, ${"and on ".repeat(20)}\`;
\`\`\`

$$\\int_0^1 x^2 \\, dx = \\frac{1}{3}$$ and \\(a^2 + b^2\\)

- [x] read it
- [ ] sign it

> Notice must be given in writing.

1. One
2. Two

![A photo](https://example.org/photo.png)

---

[^1]: A footnote.
`;

const gate = aGate();
const words = (text: string): ScriptStep => ({ type: "text", text });
const crash = new AppError("engine-crashed", "The model process ended. It is started again with the next message.");
const script: ScriptStep[][] = [
  [
    { type: "reasoning", text: "I read the file first." },
    ...calls({ name: "current_time", input: {} }, { name: "read_file", input: { path: "nowhere.txt" } }),
  ],
  [
    words(everything),
    {
      type: "usage",
      usage: { inputTokens: 6700, reusedTokens: 1904, outputTokens: 100, firstTokenMs: 212, decodeMs: 2000 },
    },
    { type: "finish", reason: "stop" },
  ],
  [crash],
  [crash], // a single one is made good for
  [
    { type: "reasoning", text: "Hm." },
    words("Half of an answer, and `cod"),
    gate.step,
    { type: "finish", reason: "stop" },
  ],
];

let opened: OpenPage;
let page: Page;

beforeAll(async () => {
  opened = await openPage({ hasModel: true, script, afterwards: says("Yes.") });
  page = opened.page;
  page.setDefaultTimeout(10_000);
  await page.locator("#composer").waitFor();
}, 60_000);
afterAll(async () => {
  gate.open();
  await opened?.close();
});

async function ask(text: string): Promise<void> {
  await page.locator("#composer").fill(text);
  await page.locator("#composer").press("Enter");
}

const expectOpenToAll = () => expectOpen(opened.app, page);

test("an empty chat", async () => {
  await page.getByRole("heading", { name: "What can I help with?" }).waitFor();
  await expectOpenToAll();
});

test("an answer with thoughts, tools, table, code, formula, links and a footnote, all of it unfolded", async () => {
  await ask("When does this lease end?");
  await page.getByRole("button", { name: "Try again" }).waitFor();
  for (const summary of await page.locator("article summary").all()) await summary.click();
  await expectOpenToAll();
});

test("the trace beside it, the gauge unfolded, and what was sent", async () => {
  await page.getByRole("button", { name: "Trace", exact: true }).click();
  await page.getByRole("complementary", { name: "Inspector" }).waitFor();
  await expectOpenToAll();
  await page.getByRole("button", { name: /^The model's window/ }).click();
  await page.getByRole("dialog").waitFor();
  await expectOpenToAll();
  await page.keyboard.press("Escape");
  const sent = page.getByRole("button", { name: "What was sent" });
  await sent.click();
  await page.getByRole("tab", { name: "JSON" }).waitFor();
  await expectOpenToAll();
  await page.getByRole("tab", { name: "JSON" }).click();
  await expectOpenToAll();
  await page.keyboard.press("Escape");
  await expect.poll(() => sent.evaluate((button) => button === document.activeElement)).toBe(true);
  await page.getByRole("button", { name: "Trace", exact: true }).click();
});

test("the question about a link, with and without a warning; then the focus is on the link again", async () => {
  for (const name of ["the contract", "your bank"]) {
    const link = page.getByRole("link", { name });
    await link.press("Enter");
    await page.getByRole("alertdialog").waitFor();
    await expectOpenToAll();
    await page.keyboard.press("Escape");
    await page.getByRole("alertdialog").waitFor({ state: "detached" });
    await expect.poll(() => link.evaluate((found) => found === document.activeElement)).toBe(true);
  }
});

test("an answer that failed, and one that is asked again", async () => {
  await ask("And then?");
  await page.getByRole("article").getByText("The model process ended.").waitFor();
  await expectOpenToAll();
  await page.getByRole("button", { name: "Edit question" }).last().click();
  await page.getByText("Editing an earlier question").waitFor();
  await expectOpenToAll();
  await page.keyboard.press("Escape");
});

test("an answer that is being written, with messages that wait; then stopped, with drafts", async () => {
  await ask("Slowly, please");
  await gate.reached;
  await ask("One more thing");
  await page.getByText("in this answer").waitFor();
  await page.locator("article summary").last().click();
  await expectOpenToAll();
  await page.getByRole("button", { name: "Stop (Esc)" }).click();
  await page.getByText("kept as a draft").waitFor();
  await expectOpenToAll();
});

test("a text that is too long, and a message that was put right", async () => {
  await page.locator("#composer").fill("a".repeat(200_001));
  await page.getByText("That text is too long for a message.").waitFor();
  await expectOpenToAll();
  await page.locator("#composer").fill("");
  await page.locator("#composer").evaluate((box: HTMLTextAreaElement) => {
    box.focus();
    document.execCommand("insertText", false, `Half an emoji: ${String.fromCharCode(0xd83d)}`);
  });
  await page.locator("#composer").press("Enter");
  await page.getByText("Damaged characters in your message were replaced.").waitFor();
  await expectOpenToAll();
});

test("and the console stays silent through all of this", () => expect(opened.problems).toEqual([]));
