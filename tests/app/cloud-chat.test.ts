import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createApp } from "../../src/main/app.ts";
import { modelOfPreset } from "../../src/shared/cloud.ts";
import { answerOf } from "../support/desk.ts";
import { aPage } from "../support/page.ts";
import { starterModel } from "../support/starter.ts";
import { temporaryFolder } from "../support/stored-turn.ts";
import { chatCompletions } from "../support/vendors/chat-completions.ts";
import { startStandIn } from "../support/vendors/stand-in.ts";

const key = "sk-canary-0815-never-shown";

/** The whole app with the starter model, and a cloud that a name of the internet leads to. */
async function anAppAndACloud(says: readonly string[]) {
  const cloud = await startStandIn({
    wire: chatCompletions({ reasoningBack: "refused" }),
    key,
    script: says.map((text) => ({
      ...{ pieces: [{ text }], finish: "stop" },
      tokens: { input: 20, output: 5, cached: 0, thought: 0 },
    })),
  });
  onTestFinished(() => cloud.close());
  const [dataFolder, workspace] = [temporaryFolder(), temporaryFolder()];
  const starter = await starterModel();
  mkdirSync(join(dataFolder, "models"));
  copyFileSync(starter, join(dataFolder, "models", basename(starter)));
  const app = await createApp({ dataFolder, workspace, resolve: async () => ["127.0.0.1"] });
  onTestFinished(() => app.close());
  const page = aPage(app.desk);
  const { port } = new URL(cloud.origin);
  const connection = await page.call("cloud.connect", {
    ...{ vendor: "custom", name: "Example AI", baseUrl: `http://api.example.com:${port}/v1`, key },
  });
  const preset = await page.call("cloud.savePreset", {
    preset: {
      ...{ name: "Big one", connectionId: connection.id, model: "big-1", window: 32_768, maxOutputTokens: 1024 },
      ...{ vision: false, tools: true },
    },
  });
  const { chatId } = await page.call("chats.create", { private: false });
  const toCloud = () => page.call("chats.model", { chatId, model: modelOfPreset(preset.id) });
  const toLocal = () => page.call("chats.model", { chatId, model: null });
  const allow = () => page.call("chats.allow", { chatId, connectionId: connection.id, allowed: true });
  const goOnline = () => page.call("settings.change", { change: { localMode: false } });
  return { app, page, cloud, connection, preset, chatId, toCloud, toLocal, allow, goOnline, dataFolder, workspace };
}

test("a chat goes out only when Local mode is off and the person has allowed it; what was typed is kept", async () => {
  const { page, cloud, chatId, toCloud, allow, goOnline } = await anAppAndACloud(["From far away."]);
  await toCloud();
  const alone = await page.say(chatId, "Are you there?");
  expect(alone.turn.error?.code).toBe("consent-needed");
  await allow();
  const shut = await page.say(chatId, "And now?");
  expect(shut.turn.error?.code).toBe("local-mode");
  const { rows } = await page.call("network.list", { limit: 10 });
  expect(rows[0]).toMatchObject({ outcome: "refused", error: "local-mode", host: "api.example.com", bodyOut: 0 });
  expect(cloud.requests).toEqual([]);
  await goOnline();
  const open = await page.say(chatId, "Now?");
  expect(answerOf(open)).toBe("From far away.");
  expect(JSON.stringify(JSON.parse(cloud.requests[0]?.body.toString() ?? ""))).toContain("Are you there?");
});

test("a chat that begins here, goes out and comes back: what was sent, the ledger and the server agree to the byte", async () => {
  const { page, cloud, preset, chatId, toCloud, toLocal, allow, goOnline } = await anAppAndACloud(["Lyon, said afar."]);
  const first = await page.say(chatId, "What is the capital of France?");
  expect(answerOf(first)).toContain("Paris");
  expect(first.requests.map(({ trip }) => trip)).toEqual([undefined]);

  const leaving = await page.call("chats.leaving", { chatId, presetId: preset.id });
  expect(leaving).toMatchObject({ messages: 3, documents: [], gaps: 0, allowed: false, place: "cloud" });
  await goOnline();
  await toCloud();
  await allow();
  const second = await page.say(chatId, "And its second city?");
  expect(answerOf(second)).toBe("Lyon, said afar.");
  const [received] = cloud.requests;
  const { sent } = await page.call("turns.sent", { turnId: second.turn.id, number: 1 });
  expect(sent).toBe(received?.body.toString());
  const trip = second.requests[0]?.trip;
  const { rows } = await page.call("network.list", { chatId, limit: 10 });
  const bytes = received?.body.byteLength;
  expect(trip).toMatchObject({ host: `api.example.com`, place: "cloud", bodyOut: bytes, ledgerId: rows[0]?.id });
  expect(rows[0]).toMatchObject({ bodyOut: bytes, bodyIn: trip?.bodyIn, turnId: second.turn.id, outcome: "done" });
  expect(sent).not.toContain(key);

  await toLocal();
  const third = await page.say(chatId, "What is the capital of Japan?");
  expect(answerOf(third)).toContain("Tokyo");
  expect(cloud.requests).toHaveLength(1);
}, 120_000);

test("a canary file that is marked stays here: in no request, while the local model reads it", async () => {
  const { page, cloud, preset, chatId, workspace, toCloud, allow, goOnline } = await anAppAndACloud(["I see a gap."]);
  writeFileSync(join(workspace, "diary.txt"), "The word of the day is CANARY-7.");
  await page.call("marks.set", { mark: { kind: "file", ref: join(workspace, "diary.txt") }, never: true });
  const local = await page.say(chatId, "What does diary.txt say?");
  expect(JSON.stringify(local.rows)).toContain("CANARY-7");
  await goOnline();
  await allow();
  await toCloud();
  expect(await page.call("chats.leaving", { chatId, presetId: preset.id })).toMatchObject({ gaps: 2 });
  await page.say(chatId, "Tell me more of it.");
  const body = cloud.requests[0]?.body.toString() ?? "";
  expect(body).toContain("marked never to leave the computer");
  expect(body).not.toContain("CANARY");
}, 120_000);

test("a marked chat goes nowhere, and a key is found nowhere but in the vault", async () => {
  const { app, page, cloud, chatId, dataFolder, toCloud, allow, goOnline } = await anAppAndACloud(["No."]);
  await goOnline();
  await allow();
  await page.call("marks.set", { mark: { kind: "chat", ref: chatId }, never: true });
  await toCloud();
  expect((await page.say(chatId, "Hello?")).turn.error?.code).toBe("never-cloud");
  expect(cloud.requests).toEqual([]);
  await app.close();
  const files = readdirSync(dataFolder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const found = files.filter(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(key));
  expect(found.map(({ name }) => name)).toEqual([]);
});
