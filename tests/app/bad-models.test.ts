import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { chatmlTemplate } from "../support/chat-templates.ts";
import { writeGguf } from "../support/gguf.ts";
import { temporaryFolder } from "../support/stored-turn.ts";
import { abortingModel, sayingModel } from "../support/tiny-models.ts";
import { lares, soundWith, stored } from "./lares.ts";

const Tiny = z.strictObject({ architecture: z.string().exactOptional(), window: z.int().exactOptional() });
const Input = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ hex: z.string() }),
  z.strictObject({ model: Tiny, cutTo: z.int().optional() }),
  z.strictObject({ is: z.enum(["folder", "pipe", "nothing"]) }),
]);
const Case = z.strictObject({ id: z.string(), input: Input, code: z.int(), words: z.string(), why: z.string() });
const file = join(import.meta.dirname, "../hostile/models.json");
const rows: readonly { id: string }[] = JSON.parse(readFileSync(file, "utf8"));
/** The others are looked at without an app: src/main/engine/hostile-models.test.ts. */
const cases = z.array(Case).parse(rows.filter(({ id }) => id.startsWith("G")));

const base = mkdtempSync(join(tmpdir(), "lares-bad-models-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

function make(path: string, input: z.infer<typeof Input>): void {
  if ("text" in input) writeFileSync(path, input.text);
  else if ("hex" in input) writeFileSync(path, Buffer.from(input.hex.replaceAll(" ", ""), "hex"));
  else if ("model" in input) {
    writeGguf(path, { chatTemplate: chatmlTemplate, ...input.model });
    if (input.cutTo !== undefined) truncateSync(path, input.cutTo);
  } else if (input.is === "folder") mkdirSync(path);
  else if (input.is === "pipe") execFileSync("mkfifo", [path]);
}

const ask = (home: string, model: string, ...flags: string[]) =>
  lares(home, ["ask", "--session", "s", "--model", model, ...flags, "Hello"]);

describe.skipIf(process.platform === "win32")("a model file that is none", () => {
  test("has at least the known kinds, each once", () => {
    expect(cases.length).toBeGreaterThanOrEqual(14);
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  });

  test.each(cases)(
    "$id ($why) is named with the next step, and the message is kept",
    async ({ id, input, ...expected }) => {
      const home = temporaryFolder();
      const model = join(base, `${id}.gguf`);
      make(model, input);
      const { code, aside } = await ask(home, model);
      expect({ code, aside }).toEqual({
        code: expected.code,
        aside: expect.stringMatching(new RegExp(expected.words, "s")),
      });
      if (expected.code === 3) expect(aside).toContain(`${id}.gguf`);
      expect(stored(home)).toEqual(
        soundWith("user complete: Hello", expect.stringMatching(/^assistant incomplete: !(model-|context-)/)),
      );
    },
  );

  test("on which llama.cpp aborts is tried twice, then held back until the person wants it again", async () => {
    const home = temporaryFolder();
    const model = abortingModel(join(base, "abort.gguf"));
    const crashed = { code: 3, aside: expect.stringContaining("SIGABRT") };
    expect(await ask(home, model)).toMatchObject(crashed);
    expect(await ask(home, model)).toMatchObject(crashed);
    const held = await ask(home, model);
    expect(held.code).toBe(3);
    expect(held.aside).toMatch(/abort\.gguf crashed the local engine 2 times .* is held back\..*--try-held/);
    expect(await ask(home, model, "--try-held")).toMatchObject(crashed);
    const rows = ["engine-crashed", "engine-crashed", "model-held", "engine-crashed"].flatMap((code) => [
      "user complete: Hello",
      `assistant incomplete: !${code}`,
    ]);
    expect(stored(home)).toEqual(soundWith(...rows));
  });

  test("whose answer is written for the terminal is shown, and never obeyed", async () => {
    const home = temporaryFolder();
    const { code, out } = await ask(home, sayingModel(join(base, "painter.gguf"), ["\x1b[2J", "\x1b]0;Hi\x07"]));
    expect({ code, out }).toEqual({ code: 0, out: "\u{FFFD}[2J\u{FFFD}]0;Hi\u{FFFD}\n" });
    expect(stored(home)).toEqual(soundWith("user complete: Hello", "assistant complete: \x1b[2J\x1b]0;Hi\x07"));
  });
});
