import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { ToolClass } from "../../src/shared/turn.ts";
import { eventsOf, soundWith, startProgram, stored } from "../app/lares.ts";
import { temporaryFolder } from "../support/stored-turn.ts";

const app = resolve("tests/crash/five-tools-app.ts");

/** A turn with five slow tools was killed during the third, which is of this class. */
async function killedInTheThird(third: ToolClass) {
  const home = temporaryFolder();
  const env = { LARES_HOME: home, EFFECTS: join(temporaryFolder(), "effects"), THIRD: third };
  const first = startProgram(process.execPath, [app, "ask", "--session", "s", "Do all five"], {
    env: { ...env, HANG: "1" },
  });
  await first.printed(/work3 hangs/);
  first.child.kill("SIGKILL");
  expect((await first.ended).signal).toBe("SIGKILL");
  return {
    home,
    run: (...args: string[]) => startProgram(process.execPath, [app, ...args], { env }).ended,
    /** How often each tool did its work. */
    effects(): number[] {
      const done = readFileSync(env.EFFECTS, "utf8").trim().split("\n");
      return [1, 2, 3, 4, 5].map((number) => done.filter((name) => name === `work${number}`).length);
    },
  };
}

const asked = "assistant complete: work1({}) work2({}) work3({}) work4({}) work5({})";

/** The whole conversation, each thing once, with this for the result of the third tool. */
const whole = (third: unknown = "tool complete: work3 is done") =>
  soundWith(
    "user complete: Do all five",
    asked,
    "tool complete: work1 is done",
    "tool complete: work2 is done",
    third,
    "tool complete: work4 is done",
    "tool complete: work5 is done",
    "assistant complete: All five are done.",
  );

describe.skipIf(process.platform === "win32")("kill -9 during the third of five tools, then recover", () => {
  test.each(["read", "idempotent"] as const)("a %s tool is run again, and nothing else is", async (third) => {
    const { home, run, effects } = await killedInTheThird(third);
    const listed = await run("recover");
    expect(listed.code).toBe(7);
    expect(listed.out).toMatch(
      /Do all five.*chat s.*Interrupted.*Done: work1, work2\n.*Not started: work3, work4, work5/s,
    );
    expect(listed.aside).toContain("--continue goes on");
    expect(effects()).toEqual([1, 1, 1, 0, 0]);

    const continued = await run("recover", "--continue");
    expect(continued).toMatchObject({ code: 0, out: "All five are done.\n" });
    expect(effects()).toEqual([1, 1, 2, 1, 1]);
    expect(stored(home)).toEqual(whole());
    expect(await run("recover")).toMatchObject({ code: 0, out: "", aside: "Nothing waits for you.\n" });
  });

  test.each([
    ["--happened", 1, expect.stringMatching(/^tool complete: .*it did happen\. Do not do it again/)],
    ["--not-happened", 1, expect.stringMatching(/^tool complete: .*it did not happen/)],
    ["--again", 2, "tool complete: work3 is done"],
  ])("a `once` tool is not run by itself: %s decides, and then the rest is done", async (flag, times, result) => {
    const { home, run, effects } = await killedInTheThird("once");
    const listed = await run("recover");
    expect(listed.code).toBe(7);
    expect(listed.out).toMatch(/Done: work1, work2\n.*May have happened \[1\]: work3 .*Not started: work4, work5/s);

    const refused = await run("recover", "--continue");
    expect(refused).toMatchObject({ code: 2, aside: expect.stringMatching(/First say of the call .* whether it did/) });
    expect(await run("recover", flag, "7")).toMatchObject({
      code: 2,
      aside: expect.stringMatching(/no call 7.*: 1\./),
    });
    expect(effects()).toEqual([1, 1, 1, 0, 0]);

    expect(await run("recover", flag, "1")).toMatchObject({ code: 0, out: "All five are done.\n" });
    expect(effects()).toEqual([1, 1, times, 1, 1]);
    expect(stored(home)).toEqual(whole(result));
    expect(await run("recover")).toMatchObject({ code: 0, out: "" });
  });

  test("left as it is: nothing more is run, and each call has its result", async () => {
    const { home, run, effects } = await killedInTheThird("once");
    expect(await run("recover", "--dismiss")).toMatchObject({ code: 0, out: "" });
    expect(effects()).toEqual([1, 1, 1, 0, 0]);
    const results = ["work1 is done", "work2 is done", /not known whether/, /^Not run/, /^Not run/];
    const { rows, ...rest } = stored(home);
    expect(rest).toEqual({ problems: [], open: [] });
    expect(rows.slice(2).map((row) => row.replace("tool complete: ", ""))).toEqual(
      results.map((words) => expect.stringMatching(words)),
    );
  });

  test("a new message leaves it as it is, and says so; --json tells it all", async () => {
    const { run, effects } = await killedInTheThird("once");
    const { out } = await run("recover", "--json");
    expect(JSON.parse(out)).toMatchObject({
      type: "left",
      chatId: "s",
      recovery: "unknown",
      done: ["work1", "work2"],
      unknown: [{ number: 1, callId: expect.any(String), name: "work3", input: {} }],
      notStarted: ["work4", "work5"],
    });
    const status = await run("ask", "--session", "s", "/status");
    expect(status.aside).toMatch(/was interrupted\. .*recover goes on with it; a new message leaves it/);
    const elsewhere = await run("ask", "--session", "other", "/status");
    expect(elsewhere.aside).toContain("An interrupted answer in another chat waits for you: npm run -s recover");
    expect((await run("recover", "--json")).code).toBe(7);

    const asked = await run("ask", "--session", "s", "--trace", "Do all five");
    expect(asked.aside).toMatch(/was interrupted\. What was written of it is kept\. Your message leaves it as it is\./);
    expect(asked).toMatchObject({ code: 0, out: "All five are done.\n" });
    expect(effects()).toEqual([2, 2, 2, 1, 1]);
    expect((await run("recover", "--json")).code).toBe(0);
  });

  test("--continue --json streams events as ask does", async () => {
    const { run } = await killedInTheThird("read");
    const events = eventsOf((await run("recover", "--continue", "--json")).out);
    expect(events[0]).toMatchObject({ type: "turn.started", continued: true });
    expect(events.at(-1)).toMatchObject({ type: "turn.ended", stopReason: "completed", text: "All five are done." });
  });
});
