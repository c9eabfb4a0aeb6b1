import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { launchChromium } from "../support/chromium.ts";
import { aCloud, type CloudPage, canaryKey, cloudModel, connectionName, openCloudPage } from "../support/cloud-page.ts";
import { eventually } from "../support/person.ts";
import { temporaryFolder } from "../support/stored-turn.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
}, 60_000);
afterAll(() => browser.close());

async function aWorld(says: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const cloud = await aCloud(says);
  onTestFinished(() => cloud.close());
  const world = await openCloudPage({ browser, files });
  onTestFinished(() => world.close());
  return { ...world, cloud };
}

/** Bodies that the cloud was given to answer. */
const bodiesAt = (cloud: { readonly requests: readonly { path: string; body: Buffer }[] }) =>
  cloud.requests.filter(({ path }) => path.endsWith("/chat/completions")).map(({ body }) => body);

/** Types it, and says yes to what will leave. */
async function askTheCloud({ person, line }: CloudPage, question: string): Promise<void> {
  await person.box.fill(question);
  await person.box.press("Enter");
  await line("This will leave your computer").getByRole("button", { name: "Send" }).click();
  await person.answered(question);
}

test("a chat begins here, goes to the cloud once that is allowed, and comes back: the badge, the ledger and what was sent agree with the bytes that arrived", async () => {
  const world = await aWorld(["It is Paris, of course.", "About two million."]);
  const { page, person, line, cloud, inspector } = world;
  await person.ask("What is the capital of France?");
  await person.answered("What is the capital of France?");
  const badge = (question: string) => person.turn(question).getByRole("button", { name: /^(stayed on|sent to)/ });
  expect(await badge("What is the capital of France?").textContent()).toBe("stayed on this computer");

  await world.setUp(cloud);
  await world.chooseCloud();
  await world.goOnline();
  await person.box.fill("Are you sure — really?");
  await person.box.press("Enter");
  const consent = line("This will leave your computer");
  await consent.waitFor();
  expect((await consent.locator("p").textContent())?.replaceAll("\u00a0", " ")).toBe(
    `3 messages will go to ${connectionName} (${cloud.host}, the cloud). From then on this chat may be sent there, with what you add to it.`,
  );
  expect(await consent.evaluate((section) => section === document.activeElement)).toBe(true);
  expect(await person.box.inputValue()).toBe("Are you sure — really?");
  expect(bodiesAt(cloud)).toEqual([]);

  await consent.getByRole("button", { name: "Send" }).click();
  await person.answered("Are you sure — really?");
  expect(await person.answer("Are you sure — really?").textContent()).toBe("It is Paris, of course.");
  const [body] = bodiesAt(cloud);
  const bytes = body?.length ?? 0;
  const size = `${(bytes / 1000).toFixed(1).replace(/\.0$/, "")} kB`;
  expect((await badge("Are you sure — really?").textContent())?.replaceAll("\u00a0", " ")).toBe(
    `sent to ${connectionName} (api.example.com): 3 messages, ${size}`,
  );

  await badge("Are you sure — really?").click();
  const sent = page.getByRole("dialog", { name: "What was sent" });
  await sent.getByText(`The body has ${bytes.toLocaleString("en")} bytes, and so says the ledger.`).waitFor();
  await sent.getByText("What is the capital of France?").waitFor();
  await sent.getByRole("tab", { name: "Body, to the byte" }).click();
  expect(
    await sent
      .getByRole("tabpanel")
      .locator("pre")
      .allTextContents()
      .then((pieces) => pieces.join("")),
  ).toBe(body?.toString());
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "Online · as you allow" }).click();
  const row = inspector.getByRole("listitem").filter({ hasText: "an answer" }).first();
  expect((await row.textContent())?.replaceAll("\u00a0", " ")).toContain(`${size} out`);
  const { rows } = await world.told();
  expect(rows.filter(({ purpose }) => purpose === "answer").map(({ bodyOut }) => bodyOut)).toEqual([bytes]);

  await person.ask("How many people live there?"); // it was allowed once: it is not asked again
  await person.answered("How many people live there?");
  expect(bodiesAt(cloud)).toHaveLength(2);
  await world.chooseLocal();
  await person.ask("Thank you.");
  await person.answered("Thank you.");
  expect(await badge("Thank you.").textContent()).toBe("stayed on this computer");
  expect(bodiesAt(cloud)).toHaveLength(2);
  expect(await page.content()).not.toContain(canaryKey);
  expect(world.problems).toEqual([]);
}, 180_000);

test("a file that was read here and is marked is a stated gap in what leaves", async () => {
  const secret = "the-canary-sings-at-dawn";
  const world = await aWorld(["I cannot see it."], { "diary.txt": `Tuesday: ${secret}.\n`, "menu.txt": "Soup.\n" });
  const { person, line, cloud } = world;
  for (const question of ["What does diary.txt say?", "And menu.txt?"]) {
    await person.ask(question);
    await person.answered(question);
  }
  const card = person.turn("What does diary.txt say?").locator("details", { hasText: "diary.txt" });
  await card.locator("summary").click();
  await card.getByRole("button", { name: "Never to the cloud" }).click();
  await card.getByText("This file never goes to the cloud").waitFor();

  await world.setUp(cloud);
  await world.chooseCloud();
  await world.goOnline();
  await person.box.fill("What was in the file?");
  await person.box.press("Enter");
  const consent = line("This will leave your computer");
  const said = (await consent.locator("p").textContent()) ?? "";
  expect(said).toContain("“menu.txt”");
  expect(said).not.toContain("diary.txt");
  expect(said).toMatch(/\d texts? (is|are) marked never to the cloud/);
  await consent.getByRole("button", { name: "Send" }).click();
  await person.answered("What was in the file?");
  const [body] = bodiesAt(cloud);
  expect(body?.toString()).not.toContain(secret);
  expect(body?.toString()).toContain("marked never to leave the computer");
  expect(world.problems).toEqual([]);
}, 180_000);

test("kept local, the message waits in the box, and a local model answers when it is sent again", async () => {
  const world = await aWorld(["Never asked for."]);
  const { page, person, line, cloud } = world;
  await world.setUp(cloud);
  await world.chooseCloud();
  await world.goOnline();
  await person.box.fill("Say hello.");
  await person.box.press("Enter");
  await line("This will leave your computer").getByRole("button", { name: "Keep local" }).click();
  await page.getByText("The chat stays here.").waitFor();
  expect(await person.box.inputValue()).toBe("Say hello.");
  expect(await page.getByRole("article").count()).toBe(0);
  await person.box.press("Enter");
  await person.answered("Say hello.");
  expect(bodiesAt(cloud)).toEqual([]);
  expect(world.problems).toEqual([]);
}, 120_000);

test("a chat that is marked never goes, and says so in the list, over the box, and in the bar", async () => {
  const world = await aWorld(["Never asked for.", "Now I may."]);
  const { page, person, line, cloud } = world;
  await person.ask("Mine alone.");
  await person.answered("Mine alone.");
  await world.setUp(cloud);
  await person.chat("Mine alone.").press("Shift+F10");
  await page.getByRole("menuitem", { name: "Never to the cloud" }).click();
  await person.list.getByRole("button", { name: "never to the cloud Mine alone." }).waitFor();
  await world.chooseCloud();
  await line("This chat never goes to the cloud").waitFor();
  await person.box.fill("Go anyway.");
  await person.box.press("Enter");
  await eventually(() =>
    line("This chat never goes to the cloud").evaluate((it) => it === document.activeElement),
  ).toBe(true);
  expect(bodiesAt(cloud)).toEqual([]);
  expect(await person.box.inputValue()).toBe("Go anyway.");
  await line("This chat never goes to the cloud").getByRole("button", { name: "Remove the mark" }).click();
  await world.goOnline();
  await askTheCloud(world, "Go anyway.");
  expect(bodiesAt(cloud)).toHaveLength(1);
  expect(world.problems).toEqual([]);
}, 120_000);

test("Local mode turned on again shuts a chat that was allowed: what is sent waits in the box, and Try again asks too", async () => {
  const world = await aWorld(["Here I am.", "Here again."]);
  const { page, person, line, cloud, inspector } = world;
  await world.setUp(cloud);
  await world.chooseCloud();
  await world.goOnline();
  await askTheCloud(world, "Where are you?");
  await page.getByRole("button", { name: "Online · as you allow" }).click();
  await inspector.getByRole("switch", { name: "Local mode" }).click();
  await line("Local mode is on").waitFor();
  await person.turn("Where are you?").getByRole("button", { name: "Try again" }).click();
  await eventually(() => line("Local mode is on").evaluate((it) => it === document.activeElement)).toBe(true);
  expect(bodiesAt(cloud)).toHaveLength(1);
  await line("Local mode is on").getByRole("button", { name: "Turn Local mode off" }).click();
  await eventually(() => bodiesAt(cloud).length).toBe(2);
  expect(world.problems).toEqual([]);
}, 120_000);

test("a key is tested in the vendor's own words, put right, and is never on the page; a pasted one in the box is warned of", async () => {
  const world = await aWorld(["Good."]);
  const { page, person, dialog, cloud } = world;
  await world.openDialog();
  await world.connect({ host: "nowhere at all" });
  await dialog.getByText(/is not a web address/).waitFor();
  expect(await dialog.getByRole("textbox", { name: "Address" }).getAttribute("aria-invalid")).toBe("true");
  await world.connect({ host: cloud.host, key: "sk-wrong-0815-0815-0815" });
  const card = dialog.getByRole("article", { name: connectionName });
  await card.getByRole("button", { name: "Turn Local mode off" }).click();
  await card.getByRole("button", { name: `Test: ${connectionName}` }).click();
  await card.getByRole("alert").filter({ hasText: "Incorrect API key provided." }).first().waitFor();
  await card.getByRole("button", { name: `New key: ${connectionName}` }).click();
  await card.getByLabel("Key", { exact: true }).fill(canaryKey);
  await card.getByRole("button", { name: "Save" }).click();
  await card.getByRole("button", { name: `Test: ${connectionName}` }).click();
  await card.getByText("It answers, and the key is accepted.").waitFor();
  await card.getByRole("button", { name: `Add a model: ${connectionName}` }).click();
  await card.getByText("2 are offered.").waitFor();
  expect(
    await card.locator("datalist option").evaluateAll((all) => all.map((one) => one.getAttribute("value"))),
  ).toContain(cloudModel);
  expect(await page.content()).not.toContain(canaryKey);
  await page.keyboard.press("Escape");
  await person.box.fill(`my key is ${canaryKey}`);
  await page.getByRole("status").getByRole("button", { name: "Keep it as a key…" }).click();
  await dialog.waitFor();
  expect(world.problems).toEqual([]);
}, 120_000);

test("on a computer without a model, the third choice of the first screen sets up a cloud model, and new chats use it", async () => {
  const cloud = await aCloud(["Hello from afar."]);
  onTestFinished(() => cloud.close());
  const world = await openCloudPage({ browser, starter: false });
  onTestFinished(() => world.close());
  const { page, dialog, person } = world;
  await page.getByRole("button", { name: "Use a cloud model" }).click();
  await dialog.waitFor();
  await world.connect({ host: cloud.host });
  const card = dialog.getByRole("article", { name: connectionName });
  await card.getByRole("combobox", { name: "Model" }).fill(cloudModel);
  await card.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("used in new chats").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: `Model of this chat: Cloud · ${cloudModel}` }).waitFor();
  await world.goOnline();
  await askTheCloud(world, "Hello?");
  expect(await person.answer("Hello?").textContent()).toBe("Hello from afar.");
  expect(world.problems).toEqual([]);
}, 120_000);

test("keys in a file with a passphrase are locked after a restart, say so, and open with it alone", async () => {
  const cloud = await aCloud([]);
  onTestFinished(() => cloud.close());
  const dataFolder = temporaryFolder();
  const first = await openCloudPage({ browser, dataFolder });
  await first.openDialog();
  await first.dialog.getByRole("combobox", { name: "Where keys are kept" }).selectOption("passphrase");
  await first.dialog.getByLabel("Passphrase").fill("correct horse battery staple");
  await first.dialog.getByRole("button", { name: "Keep them there" }).click();
  await first.dialog.getByText(/^Keys are kept here: A file with a passphrase/).waitFor();
  await first.connect({ host: cloud.host });
  await first.dialog.getByText("key kept").waitFor();
  await first.close();

  const { page, dialog, ...second } = await openCloudPage({ browser, dataFolder });
  onTestFinished(() => second.close());
  await second.openDialog();
  await dialog.getByText("key locked").waitFor();
  await dialog.getByLabel("Passphrase").fill("a wrong one");
  await dialog.getByRole("button", { name: "Unlock" }).click();
  await dialog.getByText("This passphrase does not open the keys.").waitFor();
  await dialog.getByLabel("Passphrase").fill("correct horse battery staple");
  await dialog.getByRole("button", { name: "Unlock" }).click();
  await dialog.getByText("key kept").waitFor();
  await dialog.getByRole("button", { name: "Turn Local mode off" }).click();
  await dialog.getByRole("button", { name: `Test: ${connectionName}` }).click();
  await dialog.getByText("It answers, and the key is accepted.").waitFor();
  expect(await page.content()).not.toContain("correct horse");
  expect(second.problems).toEqual([]);
}, 120_000);

test("what is asked instead is chosen in the settings, in its order", async () => {
  const world = await aWorld([]);
  const { page, cloud } = world;
  await world.setUp(cloud);
  await page.keyboard.press("Control+,");
  const settings = page.getByRole("dialog", { name: "Settings" });
  const add = settings.getByRole("combobox", { name: "If a model cannot answer" });
  const chosen = settings.getByRole("list", { name: "If a model cannot answer" }).getByRole("listitem");
  await add.waitFor();
  const [, local = ""] = await add.getByRole("option").allTextContents();
  await add.selectOption({ label: local });
  await add.selectOption({ label: `Big one · ${cloud.host}` });
  await eventually(() => chosen.allTextContents()).toEqual([local, `Big one · ${cloud.host}`]);
  await settings.getByRole("button", { name: /^Ask Big one .* sooner$/ }).click();
  await eventually(() => chosen.allTextContents()).toEqual([`Big one · ${cloud.host}`, local]);
  await settings.getByRole("button", { name: `Do not ask ${local}` }).click();
  await eventually(() => chosen.allTextContents()).toEqual([`Big one · ${cloud.host}`]);
  expect(world.problems).toEqual([]);
}, 60_000);
