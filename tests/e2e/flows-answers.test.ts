import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { channels, counted, storedTurns, type World } from "../support/channels.ts";
import { launchChromium } from "../support/chromium.ts";
import { aPerson, eventually, type Person } from "../support/person.ts";

// What a person does with a question and its answer, on both channels.

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
}, 60_000);
afterAll(() => browser.close());

/** What the database has of the answers of a chat, by rows. */
const written = (world: World, title: string): string[] =>
  storedTurns(world, title).map(({ rows }) =>
    rows
      .filter(({ role }) => role === "assistant")
      .flatMap(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")))
      .join(""),
  );

const wholeCount = counted.join("").trim();

describe.each(channels)("$name", ({ open }) => {
  let world: World;
  let me: Person;
  beforeAll(async () => {
    world = await open(browser);
    world.page.setDefaultTimeout(15_000);
    me = aPerson(world.page);
  }, 120_000);
  afterAll(() => world?.close());

  /** Waits until a counted answer is so far, and not at its end. */
  async function hasBegun(question: string): Promise<void> {
    await me.answer(question).filter({ hasText: "1 2 3 4 5 6 7 8" }).waitFor();
  }

  test("a question is answered, and the screen says what the database says", async () => {
    await world.answers("knows");
    await me.ask("What is the capital of France?");
    await me.answered("What is the capital of France?");
    const shown = await me.answer("What is the capital of France?").textContent();
    expect(shown).toContain("Paris");
    expect(written(world, "What is the capital of France?")).toEqual([shown]);
    await world.page.getByText("stayed on this computer").waitFor();
  });

  test("Esc stops an answer, and what was written stays, on the screen and on the disk", async () => {
    await world.answers("counts");
    await me.newChat();
    await me.ask("Count and be stopped");
    await hasBegun("Count and be stopped");
    await world.page.keyboard.press("Escape");
    await world.page.getByText("You stopped this answer.").waitFor();
    const shown = (await me.answer("Count and be stopped").textContent()) ?? "";
    expect(wholeCount.startsWith(shown)).toBe(true);
    expect(shown).not.toBe(wholeCount);
    expect(written(world, "Count and be stopped").map((text) => text.trim())).toEqual([shown]);
    await world.page.reload();
    await eventually(() => me.answer("Count and be stopped").textContent()).toBe(shown);
  });

  test("a page that is loaded anew in the middle of an answer shows all of it, nothing twice", async () => {
    await world.answers("counts");
    await me.newChat();
    await me.ask("Count while I look away");
    await hasBegun("Count while I look away");
    await world.page.reload();
    expect(storedTurns(world, "Count while I look away")[0]?.turn.state).toBe("run"); // it goes on meanwhile
    await me.answered("Count while I look away");
    expect(await me.answer("Count while I look away").textContent()).toBe(wholeCount);
    expect(written(world, "Count while I look away").map((text) => text.trim())).toEqual([wholeCount]);
  });

  test("an edited question is a branch, and the model is told the branch that is shown", async () => {
    const { page } = world;
    await world.answers("briefly");
    await me.newChat();
    await me.ask("My cat is red.");
    await me.answered("My cat is red.");
    await me.turn("My cat is red.").getByRole("button", { name: "Edit question" }).click();
    await eventually(() => me.box.inputValue()).toBe("My cat is red.");
    await me.box.fill("My cat is blue.");
    await me.box.press("Enter");
    await me.answered("My cat is blue.");
    await me.turn("My cat is red.").waitFor({ state: "detached" });
    await page.getByText("Version 2 of 2").waitFor();

    await page.getByRole("button", { name: "Previous version" }).click();
    await me.turn("My cat is red.").waitFor();
    await page.getByText("Version 1 of 2").waitFor();
    await me.ask("What colour?");
    await me.answered("What colour?");
    expect(await sentTo("What colour?")).toEqual(["My cat is red.", "What colour?"]);

    await me.turn("My cat is red.").getByRole("button", { name: "Next version" }).click();
    await me.turn("My cat is blue.").waitFor();
    await me.turn("What colour?").waitFor({ state: "detached" });
    await me.ask("And now?");
    await me.answered("And now?");
    expect(await sentTo("And now?")).toEqual(["My cat is blue.", "And now?"]);
    await page.reload();
    await me.turn("And now?").waitFor();
    expect(await page.getByRole("article").count()).toBe(2);
  });

  /** The questions that the model was given with this one, as the page tells. */
  async function sentTo(question: string): Promise<string[]> {
    const { page } = world;
    await me
      .turn(question)
      .getByRole("button", { name: /^How this answer came about/ })
      .click();
    await page.getByRole("button", { name: "What was sent" }).click();
    const dialog = page.getByRole("dialog", { name: "What was sent" });
    await dialog.getByRole("tab", { name: "JSON" }).click();
    const panel = dialog.getByRole("tabpanel", { name: "JSON" });
    await panel.getByText(question).first().waitFor();
    const sent = JSON.parse((await panel.textContent()) ?? "") as {
      messages: { role: string; content: { type: string; text: string }[] }[];
    };
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    return JSON.stringify(sent.messages).match(/My cat is \w+\.|What colour\?|And now\?/g) ?? [];
  }

  test("an answer is tried again beside the first, and each is there", async () => {
    await world.answers("briefly");
    await me.newChat();
    await me.ask("Say something");
    await me.answered("Say something");
    await world.page.getByRole("button", { name: "Try again" }).click();
    await world.page.getByText("Version 2 of 2").waitFor();
    await me.answered("Say something");
    expect(await world.page.getByRole("article").count()).toBe(1);
    await world.page.getByRole("button", { name: "Previous version" }).click();
    await world.page.getByText("Version 1 of 2").waitFor();
    await eventually(() => me.answer("Say something").textContent()).toBe("Here I am");
  });

  test("a model that is gone is said with the way on, and going it brings the answer", async () => {
    const { page } = world;
    await me.newChat();
    await world.answers("is gone");
    await me.ask("Anybody there?");
    const card = me.turn("Anybody there?").locator("section");
    await card.getByRole("heading", { name: "There is no model yet" }).waitFor();
    await card.getByRole("button", { name: "Choose a model" }).click();
    await page.getByRole("dialog", { name: "Models" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Models" }).waitFor({ state: "detached" });
    await world.answers("briefly");
    await card.getByRole("button", { name: "Try again" }).click();
    await eventually(() => me.answer("Anybody there?").textContent()).toBe("Here I am");
  });

  test("the console stays silent through all of this", () => expect(world.problems).toEqual([]));
});
