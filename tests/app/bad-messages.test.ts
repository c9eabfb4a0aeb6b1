import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createApp } from "../../src/main/app.ts";
import { brief } from "../support/agent.ts";
import { says, scriptedProvider } from "../support/scripted-provider.ts";
import { temporaryFolder } from "../support/stored-turn.ts";
import { sayingModel } from "../support/tiny-models.ts";
import { lares, stored } from "./lares.ts";

const Case = z.strictObject({
  id: z.string(),
  /** The command line. In it and in `stdin`, `{3 × ab}` is ababab and `{here}` a folder. */
  input: z.array(z.string()),
  stdin: z.string().optional(),
  /** Each character of `stdin` is one byte. */
  bytes: z.literal(true).optional(),
  code: z.int(),
  words: z.string(),
  /** The message as it is kept; without it nothing is. */
  stored: z.string().optional(),
  why: z.string(),
});
const file = join(import.meta.dirname, "../hostile/messages.json");
const cases = z.array(Case).parse(JSON.parse(readFileSync(file, "utf8")));

const here = mkdtempSync(join(tmpdir(), "lares-bad-messages-"));
const model = join(here, "saying.gguf");
beforeAll(() => void sayingModel(model, ["Fine"]));
afterAll(() => rmSync(here, { recursive: true, force: true }));

const written = (text: string) =>
  text
    .replace("{here}", here)
    .replace(/\{(\d+) × ([^}]+)\}/, (_whole, times: string, what: string) => what.repeat(Number(times)));

function rowsIn(home: string) {
  if (!existsSync(join(home, "lares.db"))) return { rows: [], problems: [], open: [] };
  const { rows, ...rest } = stored(home);
  return { ...rest, rows: rows.filter((row) => row.startsWith("user")).map((row) => row.replace(/^[\w ]+: /, "")) };
}

describe("a message or a flag that is not as it should be", () => {
  test("has at least the known kinds, each once", () => {
    expect(cases.length).toBeGreaterThanOrEqual(19);
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  });

  test.each(cases)("$id $why: exit code $code", async ({ input, stdin = "", bytes, words, ...expected }) => {
    const home = temporaryFolder();
    const [command = "", ...rest] = input.map(written);
    const flags = ["--session", "s", "--model", model];
    const typed = Buffer.from(written(stdin), bytes ? "latin1" : "utf8");
    const { code, aside } = await lares(home, [command, ...flags, ...rest], { input: typed });
    expect({ code, aside }).toEqual({ code: expected.code, aside: expect.stringMatching(new RegExp(words, "s")) });
    const kept = expected.stored === undefined ? [] : [written(expected.stored)];
    expect(rowsIn(home)).toEqual({ rows: kept, problems: [], open: [] });
  });

  test("is refused with one event on standard output when a program asks", async () => {
    const { code, out } = await lares(temporaryFolder(), ["ask", "--json", "--model", model, " "]);
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({ type: "error", error: { code: "blank-message" } });
  });

  test("with lone surrogates is repaired, and the channel is told", async () => {
    const provider = scriptedProvider([says("Fine.")]);
    const app = await createApp({ dataFolder: temporaryFolder(), workspace: here, provider });
    const text = "a\ud800b\udc00";
    expect(app.bus.ask({ id: "m", channel: "test", sessionId: "s", text })).toEqual({ inboundId: "m", repaired: true });
    await app.idle();
    expect(app.store.page("s", { limit: 9 }).map(brief)[0]).toBe("user complete: a\ufffdb\ufffd");
    expect(app.store.check()).toEqual([]);
    await app.close();
  });
});
