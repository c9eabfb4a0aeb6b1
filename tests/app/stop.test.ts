import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { starterModel } from "../support/starter.ts";
import { temporaryFolder } from "../support/stored-turn.ts";
import { endlessModel, sayingModel } from "../support/tiny-models.ts";
import { enginesOf, eventsOf, isAlive, lares, soundWith, startLares, stored } from "./lares.ts";

const base = mkdtempSync(join(tmpdir(), "lares-stop-"));
const models = {
  starter: "",
  /** Has no end, and takes its time: a hundred tokens a second. */
  endless: join(base, "endless.gguf"),
  saying: join(base, "saying.gguf"),
};

beforeAll(async () => {
  endlessModel(models.endless, { layers: 24, width: 512 });
  sayingModel(models.saying, ["Here", " I am"]);
  models.starter = await starterModel();
}, 600_000);
afterAll(() => rmSync(base, { recursive: true, force: true }));

const long = `Repeat: ${"apple banana cherry ".repeat(150)}`;
const askWith = (model: keyof typeof models, ...rest: string[]) => [
  ...["ask", "--session", "s", "--model", models[model]],
  ...rest,
];

interface Case {
  readonly when: string;
  readonly model: keyof typeof models;
  readonly text: string;
  readonly moment: RegExp;
  readonly answer?: RegExp;
}

const cases: readonly Case[] = [
  { when: "while the model loads", model: "starter", text: "Hello", moment: /"phase":"loading"/ },
  { when: "while the prompt is read", model: "endless", text: long, moment: /"phase":"reading","done":\d/ },
  {
    when: "while it answers",
    model: "endless",
    text: "Go on",
    moment: /"type":"delta"/,
    answer: /^assistant incomplete: +one\b/,
  },
];

describe.skipIf(process.platform === "win32")("Ctrl-C during ask", () => {
  test.each(cases)("$when: 130, what was written is kept, and the chat goes on", async (stop) => {
    const home = temporaryFolder();
    const asked = startLares(home, askWith(stop.model, "--json", stop.text));
    await asked.printed(stop.moment);
    asked.child.kill("SIGINT");
    const { code, out } = await asked.ended;
    expect(code).toBe(130);
    expect(eventsOf(out).at(-1)).toMatchObject({ type: "turn.ended", stopReason: "aborted" });
    const rows = [`user complete: ${stop.text}`, ...(stop.answer ? [expect.stringMatching(stop.answer)] : [])];
    expect(stored(home)).toEqual(soundWith(...rows));

    expect(await lares(home, askWith("saying", "And now?"))).toMatchObject({ code: 0, out: "Here I am\n" });
    expect(stored(home)).toEqual(soundWith(...rows, "user complete: And now?", "assistant complete: Here I am"));
  });

  test("twice leaves at once, also when the engine hangs, and takes the engine along", async () => {
    const home = temporaryFolder();
    const asked = startLares(home, askWith("endless", "--json", "Go on"));
    await asked.printed(/"type":"delta"/);
    const [engine = 0] = enginesOf(home);
    process.kill(engine, "SIGSTOP"); // so that there is a moment between the stop and its end
    const again = setInterval(() => asked.child.kill("SIGINT"), 5);
    const { code, out } = await asked.ended;
    clearInterval(again);
    expect([code, eventsOf(out).at(-1)?.type]).toEqual([130, "delta"]);
    await expect.poll(() => isAlive(engine), { timeout: 10_000 }).toBe(false);

    const next = await lares(home, askWith("saying", "And now?"));
    expect(next.aside).toContain("The last answer in this chat was interrupted.");
    expect(stored(home).problems).toEqual([]);
    expect(stored(home).rows).toHaveLength(4);
  });
});
