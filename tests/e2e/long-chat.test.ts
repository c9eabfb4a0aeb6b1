import { afterAll, beforeAll, expect, test } from "vitest";
import { fillChat } from "../bench/filled-chat.ts";
import { type OpenPage, openPage } from "../support/open-page.ts";
import { says } from "../support/scripted-provider.ts";

let opened: OpenPage;
beforeAll(async () => {
  const answer = (pair: number) =>
    pair === 7 ? "Here is the needle." : `Answer ${pair}. ${"More of it. ".repeat(40)}`;
  opened = await openPage({
    hasModel: true,
    afterwards: says("The newest answer."),
    before: async ({ store }) => {
      fillChat(store, { sessionId: "long", rows: 500, question: (pair) => `Question ${pair}?`, answer });
    },
  });
}, 60_000);
afterAll(() => opened.close());

test("a long chat is read to its beginning, lets go of it when one goes on, and can be read to it again", async () => {
  const { page } = opened;
  const transcript = page.getByRole("region", { name: "Conversation" });
  const distance = () => transcript.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
  const height = () => transcript.evaluate((box) => box.scrollHeight);
  const toTheNeedle = async () => {
    await page.getByRole("textbox", { name: "Search" }).fill("needle");
    await page
      .getByRole("navigation")
      .getByRole("button", { name: /needle/ })
      .click();
    await transcript.getByText("Here is the needle.").waitFor();
  };

  await toTheNeedle();
  const whole = await height();
  const box = page.getByRole("textbox", { name: "Message", exact: true });
  await box.fill("And now?");
  await box.press("Enter");
  await transcript.getByText("The newest answer.").waitFor();
  await expect.poll(distance).toBeLessThan(4);
  await box.fill("And then?"); // by one who is at the end
  await box.press("Enter");
  await expect.poll(() => transcript.getByText("The newest answer.").count()).toBe(2);
  await expect.poll(distance).toBeLessThan(4);
  await expect.poll(height).toBeLessThan(whole * 0.7);
  expect(await transcript.getByText("Question 249?", { exact: true }).count()).toBe(1);

  await toTheNeedle();
  await expect.poll(height).toBeGreaterThan(whole * 0.9);
  expect(opened.problems).toEqual([]);
});
