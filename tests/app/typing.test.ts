import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/stored-turn.ts";
import { endlessModel } from "../support/tiny-models.ts";
import { logOf, soundWith, stored } from "./lares.ts";
import { ctrlC, ctrlD, enter, laresInTerminal, noTerminal } from "./pseudo-terminal.ts";

const base = mkdtempSync(join(tmpdir(), "lares-typing-"));
const endless = join(base, "endless.gguf");
beforeAll(() => void endlessModel(endless, { layers: 8 })); // it talks for ten seconds
afterAll(() => rmSync(base, { recursive: true, force: true }));

const half = expect.stringMatching(/^assistant incomplete: +one two three/);
const inChat = ["chat", "--session", "s", "--model", endless];

describe.skipIf(noTerminal)(`in a terminal${noTerminal ? ` (skipped: ${noTerminal})` : ""}`, () => {
  test("Ctrl-C during a chat stops the answer and not the chat; with nothing running, twice leaves", async () => {
    const home = temporaryFolder();
    const chat = laresInTerminal(home, inChat);
    await chat.printed(/› /);
    chat.type(`Go on${enter}`);
    await chat.printed(/one two three one/);
    chat.type(ctrlC);
    await chat.printed(/Stopped\. What was written is kept\./);
    chat.type(`/status${enter}`);
    await chat.printed(/Running: 0\..*Last answer: aborted/);
    chat.type(ctrlC);
    await chat.printed(/Press Ctrl-C again to leave/);
    chat.type(ctrlC);
    expect((await chat.ended).code).toBe(0);
    const status = ["user command complete: /status", expect.stringMatching(/^assistant command complete/)];
    expect(stored(home)).toEqual(soundWith("user complete: Go on", half, ...status));
  });

  test("Ctrl-C twice during an answer leaves the chat, and what was written is kept", async () => {
    const home = temporaryFolder();
    const chat = laresInTerminal(home, inChat);
    await chat.printed(/› /);
    chat.type(`Go on${enter}`);
    await chat.printed(/one two three one/);
    chat.type(ctrlC + ctrlC);
    expect((await chat.ended).code).toBe(0);
    expect(stored(home)).toEqual(soundWith("user complete: Go on", half));
  });

  test("Ctrl-D leaves a chat", async () => {
    const chat = laresInTerminal(temporaryFolder(), inChat);
    await chat.printed(/› /);
    chat.type(ctrlD);
    expect((await chat.ended).code).toBe(0);
  });

  test("Ctrl-C during ask reaches the engine too, and is still a stop and no crash", async () => {
    const home = temporaryFolder();
    const asked = laresInTerminal(home, ["ask", "--session", "s", "--model", endless, "Go on"]);
    await asked.printed(/one two three one/);
    asked.type(ctrlC);
    const { code, out } = await asked.ended;
    expect(code).toBe(130);
    expect(out).toContain("Stopped. What was written is kept.");
    expect(stored(home)).toEqual(soundWith("user complete: Go on", half));
    expect(logOf(home).map(({ event }) => event)).not.toContain("engine.crashed");
  });

  test.each([
    [
      "no",
      `n${enter}`,
      3,
      /--yes fetches.*--model FILE.*Your message is kept/s,
      ["assistant incomplete: !model-missing"],
    ],
    ["Ctrl-C", ctrlC, 130, /Stopped/, []],
  ])(
    "%s to the question of a first start fetches nothing, and the message is kept",
    async (_name, keys, code, words, rows) => {
      const home = temporaryFolder();
      const asked = laresInTerminal(home, ["ask", "--session", "s", "Hello"], {
        env: { LARES_MODEL_CACHE: base },
      });
      await asked.printed(/Fetch SmolLM2.*98 MB.*\[Y\/n\]/);
      asked.type(keys);
      const ended = await asked.ended;
      expect(ended.code).toBe(code);
      expect(ended.out).toMatch(words);
      expect(stored(home)).toEqual(soundWith("user complete: Hello", ...rows));
    },
  );
});
