import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { modelsFolder } from "../../src/main/models/folders.ts";
import { type OpenPageOptions, openPage } from "./open-page.ts";
import { aPage } from "./page.ts";
import { aPerson } from "./person.ts";
import { starterModel } from "./starter.ts";
import { temporaryFolder } from "./stored-turn.ts";
import { chatCompletions } from "./vendors/chat-completions.ts";
import { type StandIn, startStandIn } from "./vendors/stand-in.ts";

/** What the stand-in lets in, and what must be found nowhere else. */
export const canaryKey = "sk-canary-0815-never-shown";
export const cloudModel = "big-1";
export const connectionName = "Example AI";
export const presetName = "Big one";

/** A cloud on loopback that a name of the internet leads to: for Lares it is the cloud. */
export async function aCloud(says: readonly string[]): Promise<StandIn & { readonly host: string }> {
  const cloud = await startStandIn({
    wire: chatCompletions({ reasoningBack: "refused" }),
    key: canaryKey,
    models: [cloudModel, "small-1"],
    script: says.map((text) => ({
      ...{ pieces: [{ text }], finish: "stop" },
      tokens: { input: 20, output: 5, cached: 0, thought: 0 },
    })),
  });
  return { ...cloud, host: `api.example.com:${new URL(cloud.origin).port}` };
}

interface CloudPageOptions extends OpenPageOptions {
  readonly browser: Browser;
  /** Files of the workspace. */
  readonly files?: Readonly<Record<string, string>>;
  /** Without it there is no model on this computer. */
  readonly starter?: boolean;
}

/** The whole app with the starter model in real Chromium, and a person in front of it. */
export async function openCloudPage({ files = {}, starter = true, ...options }: CloudPageOptions) {
  const [dataFolder, workspace] = [options.dataFolder ?? temporaryFolder(), temporaryFolder()];
  if (starter) {
    const model = await starterModel();
    mkdirSync(modelsFolder(dataFolder), { recursive: true });
    copyFileSync(model, join(modelsFolder(dataFolder), basename(model)));
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(workspace, name), text);
  const opened = await openPage({
    ...{ provider: null, workspace, resolve: async () => ["127.0.0.1"] },
    ...options,
    dataFolder,
  });
  opened.page.setDefaultTimeout(30_000);
  /** What the ledger has, as the app tells it. */
  const told = () => aPage(opened.app.desk).call("network.list", { limit: 100 });
  return { ...opened, workspace, told, ...doings(opened.page) };
}

/** What a person does with cloud models, by the names the page has for them in English. */
function doings(page: Page) {
  const person = aPerson(page);
  const dialog = page.getByRole("dialog", { name: "Cloud models" });
  const line = (title: string) => page.getByRole("region", { name: title });
  const cloudSide = page.getByRole("button", { name: /^(Cloud models:|Model of this chat: Cloud)/ });
  const localSide = page.getByRole("button", { name: /^(Local models:|Model of this chat: Local)/ });

  /** Opens the dialog from the switch beside the box. */
  async function openDialog(): Promise<void> {
    await cloudSide.click();
    await page.getByRole("menuitem", { name: /^(Set up a cloud model|Cloud models and keys)/ }).click();
    await dialog.waitFor();
  }

  /** Fills the form of a connection to an address. */
  async function connect({ host, key = canaryKey }: { host: string; key?: string }): Promise<void> {
    await dialog.getByRole("combobox", { name: "Who answers" }).selectOption("custom");
    await dialog.getByRole("textbox", { name: "Address" }).fill(`http://${host}/v1`);
    await dialog.getByRole("textbox", { name: "Name" }).fill(connectionName);
    await dialog.getByLabel(/^Key/).fill(key);
    await dialog.getByRole("button", { name: "Connect" }).click();
  }

  /** A connection and one model of it, by the dialog. */
  async function setUp({ host }: { host: string }): Promise<void> {
    await openDialog();
    await connect({ host });
    const card = dialog.getByRole("article", { name: connectionName });
    await card.getByRole("combobox", { name: "Model" }).fill(cloudModel);
    await card.getByRole("textbox", { name: "Name" }).fill(presetName);
    await card.getByRole("button", { name: "Save" }).click();
    await card.getByRole("button", { name: `Change: ${presetName}` }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  }

  async function chooseCloud(): Promise<void> {
    await cloudSide.click();
    await page.getByRole("menuitemradio", { name: presetName }).click();
    await page.getByRole("button", { name: `Model of this chat: Cloud · ${presetName}` }).waitFor();
  }

  async function chooseLocal(): Promise<void> {
    await localSide.click();
    await page.getByRole("menuitemradio").first().click();
    await page.getByRole("button", { name: /^Model of this chat: Local/ }).waitFor();
  }

  /** Turns Local mode off where the chat's model cannot answer for it. */
  async function goOnline(): Promise<void> {
    await line("Local mode is on").getByRole("button", { name: "Turn Local mode off" }).click();
    await line("Local mode is on").waitFor({ state: "detached" });
  }

  const inspector = page.getByRole("complementary", { name: "Inspector" });
  return { person, dialog, line, inspector, openDialog, connect, setUp, chooseCloud, chooseLocal, goOnline };
}

export type CloudPage = Awaited<ReturnType<typeof openCloudPage>>;
