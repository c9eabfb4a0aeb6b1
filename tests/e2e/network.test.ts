import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { cutOff, expectOpen, unreachable } from "../support/access.ts";
import { launchChromium } from "../support/chromium.ts";
import { aCloud, connectionName, openCloudPage } from "../support/cloud-page.ts";
import { aPage } from "../support/page.ts";
import { aPerson, eventually } from "../support/person.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
}, 60_000);
afterAll(() => browser.close());

async function aWorld(says: readonly string[]) {
  const cloud = await aCloud(says);
  onTestFinished(() => cloud.close());
  const world = await openCloudPage({ browser, files: { "menu.txt": "Soup.\n" } });
  onTestFinished(() => world.close());
  return { ...world, cloud, elsewhere: aPage(world.app.desk) };
}

const plain = async (text: Promise<string | null>) => (await text)?.replaceAll("\u00a0", " ");

test("the ledger is alive: refused and made, newest first, of this chat or all, with totals and the way to the answer", async () => {
  const { page, person, inspector, cloud, line, elsewhere, ...world } = await aWorld(["From far away."]);
  await page.getByRole("button", { name: "Local mode · nothing leaves" }).click();
  await inspector.getByText("Nothing has left.").waitFor();
  const { id: connectionId } = await elsewhere.call("cloud.connect", {
    ...{
      vendor: "custom",
      name: connectionName,
      baseUrl: `http://${cloud.host}/v1`,
      key: "sk-canary-0815-never-shown",
    },
  });
  expect(await elsewhere.call("cloud.test", { connectionId })).toMatchObject({ error: { code: "local-mode" } });
  const rows = inspector.getByRole("list", { name: "Connections" }).getByRole("listitem");
  await rows.filter({ hasText: "refused: Local mode is on" }).waitFor();
  expect(await plain(rows.first().textContent())).toMatch(
    new RegExp(`^${cloud.host}test of a key.*the cloud0 B out · 0 B inrefused`),
  );
  expect(await plain(inspector.locator("summary").first().textContent())).toContain("1 refused");

  await elsewhere.call("cloud.savePreset", {
    preset: {
      ...{ name: "Big one", connectionId, model: "big-1", window: 32_768, maxOutputTokens: 1024 },
      ...{ vision: false, tools: false },
    },
  });
  await world.chooseCloud();
  await world.goOnline();
  await person.box.fill("Where are you?");
  await person.box.press("Enter");
  await line("This will leave your computer").getByRole("button", { name: "Send" }).click();
  await person.answered("Where are you?");
  await rows.filter({ hasText: "an answer" }).filter({ hasText: "status 200" }).waitFor();
  const sent = cloud.requests[0]?.body.length ?? 0;
  expect(await plain(rows.first().textContent())).toContain(
    `127.0.0.1 · the cloud · big-1 · Where are you?${sent} B out`,
  );
  await inspector.locator("summary").first().click();
  await inspector.getByRole("row").filter({ hasText: "api.example.com" }).waitFor();

  await inspector.getByRole("combobox", { name: "Connections of" }).selectOption("chat");
  await eventually(() => rows.count()).toBe(1);
  await rows.getByRole("button", { name: "Show what was sent" }).click();
  await page.getByRole("dialog", { name: "What was sent" }).getByText("Where are you?").waitFor();
  await page.keyboard.press("Escape");
  expect(world.problems).toEqual([]);
}, 120_000);

test("the switch is the same in every window, also by its name in the palette, and a long ledger comes in pages", async () => {
  const { page, inspector, cloud, elsewhere, another, problems } = await aWorld([]);
  const { id: connectionId } = await elsewhere.call("cloud.connect", {
    ...{ vendor: "custom", name: connectionName, baseUrl: `http://${cloud.host}/v1` },
  });
  for (let tries = 0; tries < 130; tries++) await elsewhere.call("cloud.test", { connectionId });
  await page.getByRole("button", { name: "Local mode · nothing leaves" }).click();
  const rows = inspector.getByRole("list", { name: "Connections" }).getByRole("listitem");
  await eventually(() => rows.count()).toBe(100);
  await inspector.getByRole("button", { name: "Show earlier ones" }).click();
  await eventually(() => rows.count()).toBe(130);
  await inspector.getByRole("button", { name: "Show earlier ones" }).waitFor({ state: "detached" });

  const second = await another();
  await second.getByRole("button", { name: "Local mode · nothing leaves" }).waitFor();
  await aPerson(second).box.waitFor();
  await second.keyboard.press("Control+k");
  await second.keyboard.type("Local mode on or off");
  await second.keyboard.press("Enter");
  await page.getByRole("button", { name: "Online · as you allow" }).waitFor();
  const toggle = inspector.getByRole("switch", { name: "Local mode" });
  await eventually(() => toggle.getAttribute("aria-checked")).toBe("false");
  await toggle.press("Space");
  await second.getByRole("button", { name: "Local mode · nothing leaves" }).waitFor();
  await inspector.getByText("On: nothing is connected to but this computer.").waitFor();
  await second.context().close();
  expect(problems).toEqual([]);
}, 120_000);

test("the dialog, the switch, the three lines over the box, the badge and the ledger are open to all", async () => {
  const { app, page, person, dialog, inspector, cloud, line, ...world } = await aWorld(["Here."]);
  const check = () => expectOpen(app, page);
  await world.openDialog();
  await check();
  await world.connect({ host: cloud.host });
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("This is needed").waitFor();
  await check();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await world.openDialog();
  const card = dialog.getByRole("article", { name: connectionName });
  await card.getByRole("button", { name: `Add a model: ${connectionName}` }).click();
  await card.getByRole("combobox", { name: "Model" }).fill("big-1");
  await card.getByRole("textbox", { name: "Name" }).fill("Big one");
  await card.getByRole("button", { name: "Save" }).click();
  await card.getByRole("button", { name: `Remove: ${connectionName}` }).click();
  await check();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Cloud models:" }).click();
  await page.getByRole("menu").waitFor();
  await check();
  await page.keyboard.press("Escape");
  await person.ask("What does menu.txt say?");
  await person.answered("What does menu.txt say?");
  await page.locator("details summary", { hasText: "menu.txt" }).click();
  await page.getByRole("button", { name: "Never to the cloud" }).click();
  await world.chooseCloud();
  await line("Local mode is on").waitFor();
  await check();
  await world.goOnline();
  await person.box.fill("Where are you?");
  await person.box.press("Enter");
  await line("This will leave your computer").waitFor();
  await check();
  await line("This will leave your computer").getByRole("button", { name: "Send" }).click();
  await person.answered("Where are you?");
  await page.getByRole("button", { name: "Online · as you allow" }).click();
  await inspector.locator("summary").first().click();
  await check();
  await inspector.getByRole("button", { name: "Close the inspector" }).click();
  await page.getByRole("button", { name: /^sent to/ }).click();
  await page.getByRole("dialog").getByText("and so says the ledger").waitFor();
  await check();
  expect(world.problems).toEqual([]);
}, 240_000);

test("320 pixels wide, the dialog, the lines over the box and the ledger fit, and all of it can be reached", async () => {
  const { page, person, dialog, inspector, cloud, line, another, ...world } = await aWorld(["Here."]);
  const fits = async (what: string) =>
    expect.soft({ cutOff: await cutOff(page), unreachable: await unreachable(page) }, what).toEqual({
      cutOff: [],
      unreachable: [],
    });
  await world.setUp(cloud);
  await page.setViewportSize({ width: 320, height: 640 });
  await world.chooseCloud();
  await line("Local mode is on").waitFor();
  await fits("Local mode");
  await world.goOnline();
  await person.box.fill("Where are you?");
  await person.box.press("Enter");
  await line("This will leave your computer").waitFor();
  await fits("consent");
  await line("This will leave your computer").getByRole("button", { name: "Send" }).click();
  await person.answered("Where are you?");
  await fits("the badge");
  await world.openDialog();
  await fits("the dialog");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("What left this computer");
  await page.keyboard.press("Enter");
  await inspector.getByRole("list", { name: "Connections" }).waitFor();
  await fits("the ledger");
}, 120_000);
