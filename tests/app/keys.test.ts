import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { anEchoingVendor } from "../support/echoing-vendor.ts";
import { temporaryFolder } from "../support/stored-turn.ts";
import { key, open, passphrase } from "../support/vault.ts";
import { lares } from "./lares.ts";
import { ctrlD, enter, laresInTerminal, noTerminal } from "./pseudo-terminal.ts";

/** Nobody's keyring is touched. */
const env = { DBUS_SESSION_BUS_ADDRESS: "" };

/** A data folder, and the command line on it. */
function aHome() {
  const home = temporaryFolder();
  return { home, run: (args: readonly string[], input = "") => lares(home, args, { input, env }) };
}

async function aVendor() {
  const vendor = await anEchoingVendor();
  vendor.relent();
  return { vendor, add: ["cloud", "add", "custom", "--url", vendor.baseUrl, "--name", "Here"] };
}

describe.skipIf(process.platform === "win32")("without a terminal", () => {
  test("a key that would be lost with the command is not taken, and it says what to do first", async () => {
    const { home, run } = aHome();
    const { add } = await aVendor();
    expect(await run(add, key)).toMatchObject({
      code: 2,
      aside: expect.stringMatching(/would be lost.*vault passphrase/),
    });
    expect((await run(["cloud"])).out).toContain("There is no connection yet");
    expect(existsSync(join(home, "vault"))).toBe(false);
  });

  test("a key as a word is refused, and not repeated", async () => {
    const { run } = aHome();
    const { code, out, aside } = await run(["cloud", "add", "openai", key]);
    expect([code, out]).toEqual([2, ""]);
    expect(aside).toContain("A key is never a word");
    expect(aside).not.toContain("CANARY");
  });
});

describe.skipIf(noTerminal)(`in a terminal${noTerminal ? ` (skipped: ${noTerminal})` : ""}`, () => {
  /** Runs a command and answers its questions, each with what follows it. */
  async function answer(home: string, args: readonly string[], answers: readonly (readonly [RegExp, string])[]) {
    const typing = laresInTerminal(home, args, { env });
    for (const [question, said] of answers) {
      await typing.printed(question);
      typing.type(`${said}${enter}`);
    }
    return typing.ended;
  }
  const ask = [/The passphrase of your keys: /, passphrase] as const;

  test("no secret that is typed is shown, neither to a command nor in a chat, and no key of the keyboard brings it back", async () => {
    const home = temporaryFolder();
    const { vendor, add } = await aVendor();
    const chosen = await answer(
      home,
      ["cloud", "vault", "passphrase"],
      [
        [/A passphrase for your keys .*: /, passphrase],
        [/Once more: /, passphrase],
      ],
    );
    const added = await answer(home, add, [[/The key of .*: /, key], ask]);
    const used = await answer(home, ["cloud", "use", "Here", "echo-1", "--window", "8192"], [ask]);
    const chat = laresInTerminal(home, ["chat", "--cloud", "echo-1"], { env });
    await chat.printed(ask[0]);
    chat.type(`${passphrase}${enter}`);
    await chat.printed(/› /);
    chat.type(`\x1b[A Hi${enter}`); // the arrow that brings back the line before
    await chat.printed(/An answer\./);
    chat.type(ctrlD);
    const ends = [chosen, added, used, await chat.ended];
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(ends.map(({ out, aside }) => out + aside).join("")).not.toMatch(/CANARY|horse/);
    expect(vendor.keys.at(-1)).toBe(key);
  }, 120_000);

  test("a wrong passphrase opens nothing, and who leaves changes nothing", async () => {
    const home = temporaryFolder();
    const { add } = await aVendor();
    await open(home).choose("passphrase", passphrase);
    const wrong = await answer(home, add, [
      [/The key of .*: /, key],
      [ask[0], "wrong"],
    ]);
    expect(wrong).toMatchObject({ code: 1, out: expect.stringContaining("does not open the keys") });
    const left = laresInTerminal(home, add, { env });
    await left.printed(/The key of /);
    left.type(ctrlD);
    expect(await left.ended).toMatchObject({ code: 130, out: expect.stringContaining("Nothing was changed") });
  }, 120_000);
});
