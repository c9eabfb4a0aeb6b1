import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createApp } from "../../src/main/app.ts";
import type { Desk } from "../../src/shared/bridge.ts";
import { modelOfPreset, type VaultTier } from "../../src/shared/cloud.ts";
import { answerOf } from "../support/desk.ts";
import { anEchoingVendor } from "../support/echoing-vendor.ts";
import { aPage } from "../support/page.ts";
import { temporaryFolder } from "../support/stored-turn.ts";
import { sayingModel } from "../support/tiny-models.ts";

const passphrase = "correct horse battery";
const keys = {
  "that looks like one": "sk-CANARY-0123456789abcdef",
  "that looks like nothing": 'canary+Pass/word"9Zq&',
};

/** Every way in which a key could stand somewhere. */
const formsOf = (key: string): string[] => [
  key,
  encodeURIComponent(key),
  JSON.stringify(key).slice(1, -1),
  ...["", "u:", "uu:"].map((before) => Buffer.from(`${before}${key}`).toString("base64").slice(4, -4)),
];

/** The same desk, and all that it gives to a page. */
function overheard(desk: Desk): { desk: Desk; said: string[] } {
  const said: string[] = [];
  const connect: Desk["connect"] = (shell, post) => {
    const client = desk.connect(shell, (batch) => {
      said.push(JSON.stringify(batch));
      post(batch);
    });
    return {
      ...client,
      async call(name, input) {
        const reply = await client.call(name, input);
        said.push(JSON.stringify(reply));
        return reply;
      },
    };
  };
  return { said, desk: { ...desk, connect } };
}

/** Everything under a folder, as text that was read byte by byte. */
function textsUnder(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), "latin1")]),
  );
}

const tiers: readonly VaultTier[] = ["session", "passphrase"];
const cases = tiers.flatMap((tier) => Object.entries(keys).map(([what, key]) => ({ tier, what, key })));

test.each(cases)(
  "a key $what ($tier) stands nowhere but in the vault: not in rows, logs, diagnostics, traces, what a page is told, or the engine",
  async ({ tier, key }) => {
    const vendor = await anEchoingVendor();
    const dataFolder = temporaryFolder();
    const model = sayingModel(join(temporaryFolder(), "tiny.gguf"), [" Hello"]);
    process.env.CANARY_API_KEY = key; // as many have it in their shell
    const app = await createApp({ dataFolder, workspace: temporaryFolder() });
    const { desk, said } = overheard(app.desk);
    const page = aPage(desk);
    const seen: string[] = [];
    try {
      await page.call("vault.choose", { tier, ...(tier === "passphrase" && { passphrase }) });
      const { id: connectionId } = await page.call("cloud.connect", {
        vendor: "custom",
        name: "Echo",
        baseUrl: vendor.baseUrl,
        key,
      });
      expect(await page.call("cloud.overview", {})).toMatchObject({ connections: [{ key: "kept" }], vault: { tier } });

      const tested = await page.call("cloud.test", { connectionId });
      expect(tested).toMatchObject({
        ok: false,
        error: { code: "key-refused", message: expect.stringContaining("key removed") },
      });
      await expect(page.call("cloud.models", { connectionId })).rejects.toThrow("key removed");

      const preset = {
        name: "Echo",
        connectionId,
        model: "echo-1",
        window: 8192,
        maxOutputTokens: 1024,
        vision: false,
        tools: true,
      };
      const { id } = await page.call("cloud.savePreset", { preset });
      const { chatId } = await page.call("chats.create", { private: false });
      await page.call("chats.model", { chatId, model: modelOfPreset(id) });
      const refused = await page.say(chatId, "needle one");
      expect(refused.turn).toMatchObject({ error: { code: "key-refused" } });
      vendor.relent();
      const answered = await page.say(chatId, "needle two");
      expect(answerOf(answered)).toBe("An answer.");
      await page.say(chatId, "/trace");

      await page.call("settings.change", { change: { model } });
      const local = await page.call("chats.create", { private: false });
      expect(answerOf(await page.say(local.chatId, "needle three"))).toContain("Hello");
      if (process.platform === "linux") seen.push(readFileSync(`/proc/${app.engine.pid}/environ`, "latin1"));

      const { turnId } = { turnId: answered.turn.id };
      seen.push(JSON.stringify(await page.call("turns.sent", { turnId, number: 1 })));
      seen.push((await page.call("health.diagnostics", {})).text);
      seen.push(JSON.stringify(await page.call("network.list", { limit: 100 })));
      for (const [file, text] of textsUnder(dataFolder)) seen.push(`${file}\n${text}`);
    } finally {
      await app.close();
      delete process.env.CANARY_API_KEY;
    }
    for (const [file, text] of textsUnder(dataFolder)) seen.push(`${file}\n${text}`);

    expect(vendor.keys.length).toBeGreaterThanOrEqual(4);
    expect(new Set(vendor.keys)).toEqual(new Set([key])); // it did leave, and was said back
    expect(
      seen.some((text) => text.includes("needle two")),
      "what is looked through is what was written",
    ).toBe(true);
    const found = [...seen, ...said].filter((text) => formsOf(key).some((form) => text.includes(form)));
    expect(found.map((text) => text.slice(0, 300))).toEqual([]);
  },
);
