import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { runProcess } from "./child-process.ts";

const never = new AbortController().signal;
const env = { PATH: process.env.PATH };

function sh(script: string, { signal = never, cwd = tmpdir(), outputCap = 1_000_000 } = {}) {
  return runProcess("sh", ["-c", script], { cwd, env, signal, outputCap });
}

/** A program in a folder of its own, where it tells its process group. */
function aGroup(script: string, signal = never) {
  const cwd = mkdtempSync(join(tmpdir(), "lares-group-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const end = sh(`echo $$ > group.part; mv group.part group; ${script}`, { signal, cwd });
  end.catch(() => undefined); // awaited later
  const group = () => vi.waitFor(() => Number(readFileSync(join(cwd, "group"), "utf8")));
  return { end, group, cwd };
}

/** Those of a group that live. One that is dead and not yet buried by its parent does not. */
function living(group: number): string[] {
  const all = execFileSync("ps", ["-A", "-o", "pgid=,stat=,args="], { encoding: "utf8" }).split("\n");
  return all.filter((line) => new RegExp(`^\\s*${group}\\s+[^Z]`).test(line));
}

describe("a program of a tool", () => {
  test("is run to its end: its code and what it said, in its folder, with nothing on its input", async () => {
    const end = await sh("pwd; cat; echo 'Größe 大' >&2; exit 3", { cwd: "/" });
    expect(end).toEqual({ code: 3, stdout: { text: "/\n", lost: 0 }, stderr: { text: "Größe 大\n", lost: 0 } });
  });

  test("knows of the environment what it was given and nothing else", async () => {
    process.env.LARES_TEST_SECRET = "secret";
    onTestFinished(() => void delete process.env.LARES_TEST_SECRET);
    expect((await sh("echo $LARES_TEST_SECRET")).stdout.text).toBe("\n");
  });

  test("that says too much is kept at its beginning, and does not wait for the rest to be read", async () => {
    const { stdout } = await sh("head -c 20000000 /dev/zero | tr '\\0' 'x'", { outputCap: 1000 });
    expect(stdout).toEqual({ text: "x".repeat(1000), lost: 19_999_000 });
  });

  test("that goes on after its room is full adds nothing to it", async () => {
    expect((await sh("printf 12345; sleep 0.1; printf 67890", { outputCap: 4 })).stdout).toEqual({
      text: "1234",
      lost: 6,
    });
  });

  test("that is cut in the middle of a character loses that one", async () => {
    expect((await sh("printf 大大", { outputCap: 4 })).stdout).toEqual({ text: "大", lost: 2 });
  });

  test("that cannot be started says so", async () => {
    const start = runProcess("no-such-program", [], { cwd: "/", env, signal: never });
    await expect(start).rejects.toMatchObject({ code: "tool-failed", message: expect.stringContaining("ENOENT") });
  });

  test("is not started after a stop", async () => {
    const signal = AbortSignal.abort();
    await expect(runProcess("no-such-program", [], { cwd: "/", env, signal })).rejects.toMatchObject({
      code: "aborted",
    });
  });
});

describe.skipIf(process.platform === "win32")("nothing of a program survives", () => {
  const stubborn = "trap '' TERM; sleep 61 & (sleep 62 & sleep 63) & wait; sleep 64";

  test("a stop, though it and its grandchildren do not listen", async () => {
    const abort = new AbortController();
    const { end, group } = aGroup(stubborn, abort.signal);
    const id = await group();
    await vi.waitFor(() => expect(living(id).length).toBeGreaterThanOrEqual(4));
    abort.abort();
    await expect(end).rejects.toMatchObject({ code: "aborted" });
    await vi.waitFor(() => expect(living(id)).toEqual([]));
  });

  test("a stop; one that listens has the time to tidy up", async () => {
    const abort = new AbortController();
    const tidies = "trap 'sleep 0.1; echo tidy > tidy; exit' TERM; echo > ready; sleep 61 & wait";
    const { end, group, cwd } = aGroup(tidies, abort.signal);
    const id = await group();
    await vi.waitFor(() => readFileSync(join(cwd, "ready")));
    abort.abort();
    await expect(end).rejects.toMatchObject({ code: "aborted" });
    expect(readFileSync(join(cwd, "tidy"), "utf8")).toBe("tidy\n");
    expect(living(id)).toEqual([]);
  });

  test("its own end, with what it had left behind in the background", async () => {
    const { end, group } = aGroup(`(${stubborn}) & exit 0`);
    expect(await end).toMatchObject({ code: 0 });
    const id = await group();
    await vi.waitFor(() => expect(living(id)).toEqual([]));
  });
});
