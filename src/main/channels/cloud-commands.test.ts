import { expect, onTestFinished, test } from "vitest";
import { anEchoingVendor } from "../../../tests/support/echoing-vendor.ts";
import { anApp, aPage } from "../../../tests/support/page.ts";
import { scriptedProvider } from "../../../tests/support/scripted-provider.ts";
import { toAppError } from "../../shared/errors.ts";
import { type AwayFlags, type CloudCommandOptions, cloudCommand } from "./cloud-commands.ts";
import { networkCommand } from "./network-command.ts";
import { toCloud } from "./to-cloud.ts";

const key = "sk-CANARY-0123456789abcdef";
const passphrase = "correct horse battery";

/** The commands over the whole app; each call is one command, and what it printed. */
async function aTerminal() {
  const app = await anApp(scriptedProvider([]));
  onTestFinished(() => app.close());
  const page = aPage(app.desk);

  async function run(
    words: readonly string[],
    more: Partial<CloudCommandOptions> & { flags?: AwayFlags; chat?: string } = {},
  ) {
    const [command = "", ...rest] = words;
    let printed = "";
    const print = (text: string) => {
      printed += text;
    };
    const output = { out: print, aside: print };
    const common = { road: page, output, words: rest, json: false };
    const flags = more.flags ?? {};
    try {
      if (command === "network") await networkCommand({ ...common, ...more, chat: more.chat });
      else await cloudCommand({ ...common, flags, endsNow: false, ask: undefined, input: async () => "", ...more });
      return { code: "ok", printed };
    } catch (thrown) {
      const { code, message } = toAppError(thrown);
      return { code, printed: printed + message };
    }
  }
  return { app, page, run };
}

async function aConnection() {
  const terminal = await aTerminal();
  const vendor = await anEchoingVendor();
  vendor.relent();
  const flags = { url: vendor.baseUrl, name: "Here" };
  const added = await terminal.run(["cloud", "add", "custom"], { flags, input: async () => ` ${key}\n` });
  return { ...terminal, vendor, added, flags };
}

/** Answers the questions of a command in turn. */
function answering(...answers: readonly (string | undefined)[]) {
  const asked: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    return answers[asked.length - 1];
  };
  return { asked, ask };
}

test("a connection is added with its key from standard input, tested, given a model, shown and removed", async () => {
  const { run, vendor, added } = await aConnection();
  expect(added).toMatchObject({ code: "ok", printed: expect.stringMatching(/^Here is added \(127\.0\.0\.1:\d+\)/) });
  expect(await run(["cloud", "test", "Here"])).toEqual({ code: "ok", printed: "Here answers, and takes the key.\n" });
  expect(new Set(vendor.keys)).toEqual(new Set([key]));
  const used = await run(["cloud", "use", "Here", "echo-1"], { flags: { window: 8192 } });
  expect(used).toMatchObject({ code: "ok", printed: expect.stringContaining('--cloud "echo-1"') });
  expect((await run(["cloud"])).printed).toMatch(
    /^Here {2}127\.0\.0\.1:\d+ {2}\(this-computer, key: kept\)\n {2}echo-1 {2}echo-1, 8192 tokens\nKeys: session/,
  );
  expect((await run(["cloud", "list"], { json: true })).printed).not.toContain("CANARY");
  expect(await run(["cloud", "remove", "Here"])).toMatchObject({ code: "ok" });
  expect((await run(["cloud"])).printed).toContain("There is no connection yet");
});

test("a model is changed and not doubled; one that is not there is refused with those that are", async () => {
  const { run, page } = await aConnection();
  expect(await run(["cloud", "use", "Here", "other"])).toMatchObject({
    code: "model-gone",
    printed: expect.stringContaining("echo-1"),
  });
  expect(await run(["cloud", "use", "Here", "echo-1"])).toMatchObject({
    code: "bad-request",
    printed: expect.stringContaining("--window"),
  });
  for (const window of [8192, 16_384]) await run(["cloud", "use", "Here", "echo-1"], { flags: { window } });
  const { presets } = await page.call("cloud.overview", {});
  expect(presets).toMatchObject([{ name: "echo-1", window: 16_384, maxOutputTokens: 8192 }]);
});

test("a name that two connections use picks neither, and each is named by its number", async () => {
  const { run, page, flags } = await aConnection();
  await run(["cloud", "add", "custom"], { flags: { ...flags, name: "There" }, input: async () => key });
  const use = (name: string) => run(["cloud", "use", name, "echo-1"], { flags: { window: 8192 } });
  expect((await use("Here")).printed).toContain('--cloud "echo-1"');
  const second = await use("There");
  const { presets } = await page.call("cloud.overview", {});
  const [here, there] = presets.map(({ id }) => id);
  expect(second.printed).toContain(`--cloud "${there}"`);

  const said: string[] = [];
  const to = (name: string) => toCloud({ road: page, sessionId: "shared", name, say: (text) => void said.push(text) });
  await expect(to("echo-1")).rejects.toThrow(`${here} (Here), ${there} (There)`);
  expect(said).toEqual([]);
  await to(String(there));
  expect(said.join("")).toContain("To There");
});

test("a vendor that cannot be asked for its models does not stop who says the window", async () => {
  const { run } = await aTerminal();
  const vendor = await anEchoingVendor(); // refuses every key
  await run(["cloud", "add", "custom"], { flags: { url: vendor.baseUrl, name: "Here" }, input: async () => key });
  const tested = await run(["cloud", "test", "Here"]);
  expect(tested).toMatchObject({ code: "key-refused", printed: expect.stringContaining("Incorrect API key") });
  expect((await run(["cloud", "use", "Here", "echo-1"])).code).toBe("key-refused");
  const used = await run(["cloud", "use", "Here", "echo-1"], { flags: { window: 8192 } });
  expect(used).toMatchObject({ code: "ok", printed: expect.stringContaining("taken as you named it") });
  expect(tested.printed + used.printed).not.toContain("CANARY");
});

test("a person is asked for the key, and first for the passphrase where the keys are locked", async () => {
  const { run, page, flags } = await aConnection();
  await run(["cloud", "vault", "passphrase"], { input: async () => `${passphrase}\n` });
  const { ask, asked } = answering(key);
  expect(await run(["cloud", "key", "Here"], { ask })).toMatchObject({ code: "ok" });
  expect(asked).toEqual(["The key of this connection: "]); // it is open already: it was just chosen
  const twice = await run(["cloud", "add", "custom"], { flags, ask });
  expect(twice).toMatchObject({ code: "bad-request", printed: expect.stringContaining("already") });
  expect(await page.call("cloud.overview", {})).toMatchObject({ vault: { tier: "passphrase", locked: false } });
});

test("a new passphrase is asked for twice; who leaves or mistypes changes nothing", async () => {
  const { run } = await aTerminal();
  const choose = (...answers: (string | undefined)[]) =>
    run(["cloud", "vault", "passphrase"], { ask: answering(...answers).ask });
  expect(await choose(passphrase, "another one")).toMatchObject({
    code: "bad-request",
    printed: expect.stringContaining("not the same"),
  });
  expect(await choose(undefined)).toMatchObject({ code: "aborted" });
  expect(await choose("short", "short")).toMatchObject({
    code: "bad-request",
    printed: expect.stringContaining("8 characters"),
  });
  expect((await run(["cloud", "vault"])).printed).toContain("Keys: session");
  expect(await choose(passphrase, passphrase)).toMatchObject({
    code: "ok",
    printed: expect.stringContaining("Keys: passphrase"),
  });
});

test("a key that would be lost with the command is not taken, and it says what to do first", async () => {
  const { run, page } = await aTerminal();
  const { code, printed } = await run(["cloud", "add", "openai"], { input: async () => key, endsNow: true });
  expect([code, printed]).toEqual(["bad-request", expect.stringMatching(/would be lost.*vault passphrase/)]);
  expect((await page.call("cloud.overview", {})).connections).toEqual([]);
});

test.each([
  [["cloud", "add", "nobody"], {}, /no vendor "nobody".*openai/],
  [["cloud", "add", "custom"], {}, /--url/],
  [["cloud", "add", "openai"], {}, /no key on standard input/],
  [["cloud", "add", "openai", key], {}, /A key is never a word/],
  [["cloud", "fly"], {}, /has no "fly".*list, add/],
  [["cloud", "constructor"], {}, /has no "constructor"/],
  [["cloud", "test"], {}, /cloud test NAME/],
  [["cloud", "test", "Nowhere"], {}, /no connection "Nowhere"/],
  [["cloud", "remove", "Nowhere"], {}, /no connection "Nowhere"/],
  [["cloud", "vault", "safe"], {}, /not by "safe"/],
  [["cloud", "vault", "passphrase"], {}, /at least 8/],
  [["cloud", "add", "custom"], { url: "https://x.test/?key=1" }, /own field/],
  [["cloud", "add", "custom"], { url: "ftp://x.test" }, /not a web address/],
  [["network", "local"], {}, /local on/],
  [["network", "local", "off", "now"], {}, /local on/],
] as const)("what is wrong with %j is said", async (words, flags, said) => {
  const { run } = await aTerminal();
  const { code, printed } = await run(words, { flags });
  expect(["bad-request", "not-found"]).toContain(code);
  expect(printed).toMatch(said);
  expect(printed).not.toContain("CANARY");
});

test("what left is listed, by chat, and counted; Local mode is switched and said", async () => {
  const { run } = await aConnection();
  await run(["cloud", "test", "Here"]);
  const { printed } = await run(["network"]);
  expect(printed).toMatch(/key-test {2}0 B out, \d+ B in {2}done 200\n127\.0\.0\.1 \(this-computer\): 1 connections/);
  expect(printed).toMatch(/In all: 1 connections, 0 refused.*\nLocal mode is on/);
  const rows = (await run(["network"], { json: true })).printed.trim().split("\n");
  expect(rows.map((line) => JSON.parse(line))).toMatchObject([
    { type: "network", row: { purpose: "key-test", status: 200 } },
  ]);
  expect((await run(["network"], { chat: "another" })).printed).toContain("In all: 0 connections");
  expect((await run(["network", "local", "off"])).printed).toBe("Local mode is off.\n");
  expect((await run(["network"])).printed).toContain("Local mode is off.");
});
