import { beforeAll, describe, expect, test } from "vitest";
import { enginesOf, isAlive, lares, soundWith, startLares, stored } from "../app/lares.ts";
import { starterModel } from "../support/starter.ts";
import { temporaryFolder } from "../support/stored-turn.ts";

let model = "";
beforeAll(async () => {
  model = await starterModel();
}, 600_000);

const story = "Write a long story about a ship, a storm and a lighthouse.";
const france = "What is the capital of France?";

/** Waits as long as an orphan may live. */
const gone = (pid: number) => expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false);

describe.skipIf(process.platform === "win32")("kill -9 of the whole process in the middle of an answer", () => {
  test("leaves no engine, keeps what was written, and the chat goes on and says what happened", async () => {
    const home = temporaryFolder();
    const ask = (text: string) => ["ask", "--session", "s", "--model", model, text];
    const asked = startLares(home, ask(story));
    await asked.printed(/(\w+\W+){80}/); // longer than the quarter of a second after which it is on disk
    asked.child.kill("SIGKILL");
    const { signal, out } = await asked.ended;
    expect(signal).toBe("SIGKILL");
    const engines = enginesOf(home);
    expect(engines).toHaveLength(1);
    for (const pid of engines) await gone(pid);

    const next = await lares(home, ask(france));
    expect(next).toMatchObject({ code: 0, out: expect.stringContaining("Paris") });
    expect(next.aside).toContain("The last answer in this chat was interrupted. What was written of it is kept.");
    const { rows, ...rest } = stored(home);
    const half = rows[1]?.replace(/^assistant incomplete: (.*)$/s, "$1") ?? "";
    expect({ ...rest, rows: rows.toSpliced(1, 1) }).toEqual(
      soundWith(`user complete: ${story}`, `user complete: ${france}`, expect.stringMatching(/^assistant complete/)),
    );
    expect(half.length).toBeGreaterThan(0);
    expect(out.startsWith(half)).toBe(true);
    expect((await lares(home, ["ask", "--session", "s", "/status"])).aside).not.toContain("interrupted"); // told once
  }, 60_000);
});
