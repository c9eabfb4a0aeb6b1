import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Two cores are shared by many: what happens soon may take a while. */
export const eventually = <T>(read: () => T): ReturnType<typeof expect.poll<T>> =>
  expect.poll(read, { timeout: 15_000 });

/** What a person sees and does on a page of Lares, by the names it has for them in English. */
export function aPerson(page: Page) {
  const list = page.getByRole("navigation", { name: "Chats" });
  const box = page.getByRole("textbox", { name: "Message" });
  const turn = (question: string) =>
    page.getByRole("article").filter({ has: page.getByText(question, { exact: true }) });

  return {
    page,
    list,
    box,
    turn,
    /** A chat of the list. */
    chat: (title: string) => list.getByRole("button", { name: title, exact: true }),
    title: () => page.getByRole("heading", { level: 1 }).textContent(),
    /** What stands in the answer to a question, as it is read. */
    answer: (question: string) => turn(question).last().locator("[aria-busy] p").first(),
    async newChat(): Promise<void> {
      await page.keyboard.press("Control+Shift+O");
      await page.getByText("What can I help with?").waitFor();
    },
    async ask(question: string): Promise<void> {
      await box.fill(question);
      await box.press("Enter");
      await turn(question).first().waitFor();
    },
    /** Waits until the answer to a question is complete. */
    async answered(question: string): Promise<void> {
      await turn(question).last().getByRole("button", { name: "Try again" }).waitFor();
    },
  };
}

export type Person = ReturnType<typeof aPerson>;
