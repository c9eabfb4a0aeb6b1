import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { createApp } from "../../src/main/app.ts";
import { modelCacheFolder } from "../../src/main/models/folders.ts";
import { modelOfPreset } from "../../src/shared/cloud.ts";
import { callsOf } from "../../src/shared/message.ts";
import { qwenTemplate } from "../support/chat-templates.ts";
import { answerOf } from "../support/desk.ts";
import { writeGguf } from "../support/gguf.ts";
import { aPage } from "../support/page.ts";
import { starterModel } from "../support/starter.ts";
import { temporaryFolder } from "../support/stored-turn.ts";

/**
 * A server that nobody here wrote: llama.cpp's own, as the Python package `xllamacpp` brings it, ready built. In the cache
 * beside the models:
 * python3 -m venv ~/.cache/lares/peer && ~/.cache/lares/peer/bin/pip install --only-binary :all: xllamacpp
 */
const python = join(modelCacheFolder(process.env), "../peer/bin/python");
const installed = existsSync(python);
const name = installed
  ? "llama.cpp's own server"
  : "llama.cpp's own server (skipped: not installed, see docs/providers.md)";

async function startPeer(model: string): Promise<string> {
  const peer = spawn(python, ["tests/support/peer.py", model], { stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(async () => {
    peer.stdin.end();
    if (peer.exitCode === null) await once(peer, "exit");
  });
  for await (const line of createInterface({ input: peer.stdout })) if (line.startsWith("http://")) return line;
  throw new Error("The peer ended without an address.");
}

/** The whole app as it comes, in Local mode and without a key, and a chat with what answers at the address. */
async function chatWith(address: string, tools: boolean) {
  const workspace = temporaryFolder();
  const app = await createApp({ dataFolder: temporaryFolder(), workspace });
  onTestFinished(() => app.close());
  const page = aPage(app.desk);
  const connection = await page.call("cloud.connect", { vendor: "custom", name: "Here", baseUrl: address });
  const { models } = await page.call("cloud.models", { connectionId: connection.id });
  const preset = await page.call("cloud.savePreset", {
    preset: {
      ...{ name: "Peer", connectionId: connection.id, model: models[0]?.id ?? "", window: 32_768 },
      ...{ maxOutputTokens: 256, vision: false, tools, temperature: 0 },
    },
  });
  const { chatId } = await page.call("chats.create", { private: false });
  await page.call("chats.model", { chatId, model: modelOfPreset(preset.id) });
  return { page, chatId, connection, models, workspace };
}

/** A model is loaded in each, by a program that takes its time. */
describe.skipIf(!installed)(name, { timeout: 120_000 }, () => {
  test("answers a chat of the whole app, on this computer, with nothing allowed and Local mode on", async () => {
    const { page, chatId, connection, models } = await chatWith(await startPeer(await starterModel()), false);
    expect(connection.place).toBe("this-computer");
    expect(models.length).toBe(1);
    const view = await page.say(chatId, "What is the capital of France?");
    expect(answerOf(view)).toContain("Paris");
    expect(view.turn.error).toBeUndefined();
    const [request] = view.requests;
    expect(request?.usage?.outputTokens).toBeGreaterThan(2);
    const { sent } = await page.call("turns.sent", { turnId: view.turn.id, number: 1 });
    const { rows } = await page.call("network.list", { chatId, limit: 9 });
    const bodyOut = Buffer.byteLength(sent ?? "");
    expect(rows).toMatchObject([{ purpose: "answer", place: "this-computer", status: 200, outcome: "done", bodyOut }]);
  });

  test("calls a tool of ours, and takes its result", async () => {
    const call = [
      "<tool_call>",
      '\n{"name": "',
      "read_file",
      '", "arguments":',
      ' {"path": "a.txt"}',
      "}\n",
      "</tool_call>",
    ];
    const file = join(temporaryFolder(), "calling.gguf");
    const template = { architecture: "qwen2", chatTemplate: qwenTemplate };
    writeGguf(file, { ...template, window: 32_768, script: [["\n", ...call, "<|im_end|>"]] });
    const { page, chatId, workspace } = await chatWith(await startPeer(file), true);
    writeFileSync(join(workspace, "a.txt"), "The code is 4711.");
    await page.call("settings.change", { change: { maxIterations: 2 } }); // this model knows no end
    const { rows, requests, turn } = await page.say(chatId, "What is the code?");
    expect(rows.flatMap(({ parts }) => callsOf(parts))[0]).toMatchObject({
      name: "read_file",
      input: { path: "a.txt" },
    });
    expect(JSON.stringify(rows)).toContain("The code is 4711.");
    expect(requests.map(({ finish }) => finish).slice(0, 2)).toEqual(["tool_calls", "tool_calls"]);
    const { sent } = await page.call("turns.sent", { turnId: turn.id, number: 2 });
    const told = JSON.parse(sent ?? "{}").messages.at(-1);
    expect(told).toMatchObject({ role: "tool", content: expect.stringContaining("The code is 4711.") });
  });

  test("says in words what it refuses", async () => {
    const { page, chatId } = await chatWith(await startPeer(await starterModel()), false);
    const { turn } = await page.say(chatId, "word ".repeat(60_000));
    expect(turn.error?.code).toBe("context-overflow");
  });
});
