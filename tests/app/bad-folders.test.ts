import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/stored-turn.ts";
import { sayingModel } from "../support/tiny-models.ts";
import { lares, soundWith, startProgram, stored } from "./lares.ts";
import { can, type OtherWorld, otherWorld } from "./linux.ts";

const base = mkdtempSync(join(tmpdir(), "lares-bad-folders-"));
const model = join(base, "saying.gguf");
beforeAll(() => void sayingModel(model, ["Fine"]));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const ask = ["ask", "--session", "s", "--model", model, "Hello"];
const answered = ["user complete: Hello", "assistant complete: Fine"];
const cannotMount = !can("unshare", "-m", "sh", "-c", "mount -t tmpfs tmpfs /mnt");

/** A data folder on a disk of its own, of this size, which ends with the test. */
async function onDisk(size: string) {
  const home = temporaryFolder();
  const world = await otherWorld(`mount -t tmpfs -o size=${size} tmpfs '${home}'`);
  const remount = (options: string) => run(world, "mount", "-o", `remount,${options}`, home);
  /** The store can only be looked at out here. */
  const look = () => {
    const copy = temporaryFolder();
    cpSync(world.outside(home), copy, { recursive: true });
    return stored(copy);
  };
  return { ask: () => lares(home, ask, { under: world.under }), remount, look, home };
}

async function run({ under }: OtherWorld, ...command: string[]): Promise<void> {
  const [program = "", ...rest] = [...under, ...command];
  const { code, aside } = await startProgram(program, rest).ended;
  if (code !== 0) throw new Error(aside);
}

describe.skipIf(cannotMount)("a disk (skipped where mounting is not allowed)", () => {
  test.each(["32k", "64k", "96k", "128k", "160k", "192k"])(
    "of %s, which is full at some moment of the first start: it is said, and with room again all is well",
    async (size) => {
      const disk = await onDisk(size);
      const full = { code: 4, aside: expect.stringMatching(/no room left to write .*Free some space/) };
      const first = await disk.ask();
      expect(first).toMatchObject(first.code === 0 ? { out: "Fine\n" } : full);
      await disk.remount("size=20m");
      expect(await disk.ask()).toMatchObject({ code: 0, out: expect.stringContaining("Fine") });
      const { rows, ...rest } = disk.look();
      expect(rest).toEqual({ problems: [], open: [] });
      expect(rows.slice(-2)).toEqual(answered);
    },
  );

  test("without any room is named before anything is accepted", async () => {
    const disk = await onDisk("4k");
    const { code, out, aside } = await disk.ask();
    expect({ code, out }).toEqual({ code: 4, out: "" });
    expect(aside).toContain(disk.home);
  });

  test("that can only be read is named, and what is on it stays", async () => {
    const disk = await onDisk("20m");
    expect((await disk.ask()).code).toBe(0);
    await disk.remount("ro");
    expect(await disk.ask()).toMatchObject({
      code: 4,
      out: "",
      aside: expect.stringMatching(/cannot be written\. Allow writing/),
    });
    expect(disk.look()).toEqual(soundWith(...answered));
  });
});

describe("a data folder", () => {
  test.each([
    ["that is a file", () => writeFileSync(join(base, "file"), ""), "file", /file.*Choose another folder/],
    ["below a file", () => undefined, "file/below", /file\/below.*try again/],
    ["with a path beyond measure", () => undefined, "n".repeat(600), /longer than 480 bytes.*Choose another folder/],
  ])("%s is refused with its name and the next step", async (_name, make, name, words) => {
    make();
    const { code, aside } = await lares(join(base, name), ask);
    expect({ code, aside }).toEqual({ code: 4, aside: expect.stringMatching(words) });
  });

  test.each([
    ["a text", "Once upon a time ".repeat(500)],
    ["empty", ""],
  ])("whose database is %s has it set aside whole, and is used", async (_what, text) => {
    const home = temporaryFolder();
    writeFileSync(join(home, "lares.db"), text);
    expect(await lares(home, ask)).toMatchObject({ code: 0, out: "Fine\n" });
    expect(stored(home)).toEqual(soundWith(...answered));
    const [set = ""] = readdirSync(join(home, "damaged"));
    expect(readFileSync(join(home, "damaged", set, "lares.db"), "utf8")).toBe(text);
  });

  test.runIf(process.platform === "linux")("is used with 64 open files and without a home", async () => {
    const home = temporaryFolder();
    const under = ["sh", "-c", 'ulimit -n 64; unset HOME; exec "$@"', "sh"];
    expect(await lares(home, ask, { under })).toMatchObject({ code: 0, out: "Fine\n" });
    expect(stored(home)).toEqual(soundWith(...answered));
  });

  test("is used under a path with spaces, an emoji, # and %, of 300 characters", async () => {
    const home = join(temporaryFolder(), "my data 🏡 #1 100%", "x".repeat(130), "y".repeat(130));
    expect(await lares(home, ask)).toMatchObject({ code: 0, out: "Fine\n" });
    expect(stored(home)).toEqual(soundWith(...answered));
  });

  test("is made once when several start in the same moment", async () => {
    const home = join(temporaryFolder(), "d/".repeat(100));
    const open = `const { openDataFolder } = await import(${JSON.stringify(resolve("src/main/db/data-folder.ts"))});
      while (Date.now() < Number(process.argv[2]));
      openDataFolder(process.argv[1]);`;
    const together = String(Date.now() + 1_000);
    const starts = [1, 2, 3].map(() =>
      startProgram(process.execPath, ["--input-type=module", "-e", open, home, together]),
    );
    const ends = await Promise.all(starts.map(({ ended }) => ended));
    expect(ends.map(({ code, aside }) => [code, aside])).toEqual(ends.map(() => [0, ""]));
  });

  test.each([
    [1, "Hello", "60"],
    [2, "Hello", "0"],
    [3, "/status", "60"],
    [4, "/status", "0"],
    [5, "/status", "0.2"],
  ])("of two Lares at once: both are answered, or told that it is busy (round %i)", async (_round, text, wait) => {
    const home = temporaryFolder();
    const ended = await Promise.all([askIn(home, "one", text, "60"), askIn(home, "two", text, wait)]);
    // Read when both are over: to look into a database that is just being made would be a third Lares, without a lock.
    const both = ended.map(({ session, ...end }) => ({ ...end, rows: stored(home, session).rows }));
    const said = text === "Hello" ? "Fine\n" : expect.stringMatching(/^Running: 0/);
    const fine = {
      code: 0,
      said,
      rows: [expect.stringContaining(text), expect.stringMatching(/^assistant .*complete/)],
    };
    const busy = {
      code: 5,
      said: expect.stringMatching(/Another Lares is using .*Close it, or use another/s),
      rows: [],
    };
    /** It went through the other one, which does not change its model for it. */
    const refused = { code: 2, said: expect.stringMatching(/open already.*leave out --model/s), rows: [] };
    expect(both.map(({ code }) => code)).toContain(0);
    for (const one of both) expect(one).toEqual(one.code === 5 ? busy : one.code === 2 ? refused : fine);
    expect(stored(home)).toEqual(soundWith());
  });
});

async function askIn(home: string, session: string, text: string, wait: string) {
  const flags = ["--session", session, "--model", model, "--wait", wait];
  const { code, out, aside } = await lares(home, ["ask", ...flags, text]);
  return { session, code, said: code === 0 ? out : aside };
}
