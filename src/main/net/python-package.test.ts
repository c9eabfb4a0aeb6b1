import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { aDoor, type TestDoor } from "../../../tests/support/door.ts";
import { fakeProgram, pipWith } from "../../../tests/support/fake-program.ts";
import { fetchPythonPackage, type PythonPackageOptions } from "./python-package.ts";

let folder: string;
let path: string;
let to: string;
let wheel: string;
let door: TestDoor;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lares-pip-"));
  path = join(folder, "path");
  to = join(folder, "to");
  wheel = join(folder, "wheel");
  door = aDoor();
  mkdirSync(path);
  writeFileSync(wheel, "the wheel");
});
afterEach(() => rmSync(folder, { recursive: true }));

const download = (more: Partial<PythonPackageOptions> = {}) =>
  fetchPythonPackage({
    name: "llm-a",
    version: "1.2",
    door,
    to,
    signal: new AbortController().signal,
    environment: { PATH: path },
    ...more,
  });

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe.skipIf(process.platform === "win32")("a Python package", () => {
  test("comes as one wheel, pinned, without dependencies and without running its code", async () => {
    const record = `require("node:fs").writeFileSync(${JSON.stringify(join(folder, "asked"))}, process.argv.slice(2).join(" "));`;
    fakeProgram(path, "pip3", `${pipWith(wheel)}\n${record}`);
    expect(readFileSync(await download(), "utf8")).toBe("the wheel");
    const asked = readFileSync(join(folder, "asked"), "utf8");
    expect(asked).toMatch(/^download --no-deps --only-binary=:all: .*-d .+ llm-a==1\.2$/);
  });

  test("is asked for with pip's own settings and nothing else of ours", async () => {
    const record = `require("node:fs").writeFileSync(${JSON.stringify(join(folder, "env"))}, JSON.stringify(process.env));`;
    fakeProgram(path, "pip3", `${pipWith(wheel)}\n${record}`);
    const settings = {
      PATH: path,
      HOME: folder,
      PIP_INDEX_URL: "https://index.test/",
      https_proxy: "http://proxy.test/",
    };
    await download({ environment: { ...settings, OPENAI_API_KEY: "secret", PYTHONPATH: "/evil", NODE_OPTIONS: "" } });
    const seen = JSON.parse(readFileSync(join(folder, "env"), "utf8"));
    expect(seen).toEqual({ ...settings, TMPDIR: to, TEMP: to, TMP: to });
  });

  test.each(["pip", "python3"])("is had by %s when that is what there is", async (program) => {
    fakeProgram(path, "pip3", "process.exit(127)");
    fakeProgram(path, program, pipWith(wheel));
    expect(await download()).toContain(".whl");
  });

  test("cannot be had without pip, and it says so", async () => {
    await expect(download()).rejects.toMatchObject({ code: "download-failed", message: /no pip on this computer/ });
  });

  test.each([
    ["ERROR: No matching distribution found for llm-a==1.2", "download-failed", /the package index does not have it/],
    ["... Failed to establish a new connection: NewConnectionError", "offline", /cannot be reached/],
    ["OSError: [Errno 28] No space left on device", "disk-full", /the disk is full/],
    [
      "SSLError(SSLCertVerificationError(1, 'CERTIFICATE_VERIFY_FAILED'))",
      "server-untrusted",
      /cannot prove who it is/,
    ],
    ["ERROR: something new", "download-failed", /1\.2: something new/],
    ["", "download-failed", /exit code 1/],
  ])("that pip refuses with %j is refused as %s", async (complaint, code, message) => {
    fakeProgram(
      path,
      "pip3",
      `if (process.argv.includes("--version")) process.exit(0);
       process.stderr.write(${JSON.stringify(complaint)}); process.exitCode = 1;`,
    );
    await expect(download()).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test("is not taken when pip leaves no wheel", async () => {
    fakeProgram(path, "pip3", "");
    await expect(download()).rejects.toMatchObject({
      code: "download-failed",
      message: expect.stringMatching(/0 packages/),
    });
  });

  const hanging = (pids: string) => `
    if (process.argv.includes("--version")) process.exit(0);
    const child = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => 0, 1000)"], { stdio: "inherit" });
    require("node:fs").writeFileSync(${JSON.stringify(pids)}, process.pid + " " + child.pid);
    setInterval(() => 0, 1000);`;

  test("that is stopped leaves no process behind", async () => {
    const pids = join(folder, "pids");
    fakeProgram(path, "pip3", hanging(pids));
    const controller = new AbortController();
    const result = expect(download({ signal: controller.signal })).rejects.toMatchObject({ code: "aborted" });
    while (!existsSync(pids) || !readFileSync(pids, "utf8")) await sleep(10);
    controller.abort();
    await result;
    const [pip = 0, child = 0] = readFileSync(pids, "utf8").split(" ").map(Number);
    while (isAlive(child)) await sleep(10); // the child of a killed parent is reaped a moment later
    expect([isAlive(pip), isAlive(child)]).toEqual([false, false]);
  });

  test("has a row of the ledger before pip starts, and its bytes when it has ended", async () => {
    const ask = `${pipWith(wheel)}\nif (!process.argv.includes("--version")) require("node:fs").writeFileSync(${JSON.stringify(join(folder, "ran"))}, "");`;
    fakeProgram(path, "pip3", ask);
    const opened: unknown[] = [];
    const watched: TestDoor = {
      ...door,
      program: (errand, host, run) =>
        door.program(errand, host, (given) => {
          opened.push(...door.rows(), existsSync(join(folder, "ran")));
          return run(given);
        }),
    };
    await download({ door: watched, byHand: true });
    const row = { host: "package index (pip)", port: 0, purpose: "package-index", place: "cloud" };
    expect(opened).toEqual([expect.objectContaining({ ...row, outcome: "open", bodyIn: 0 }), false]);
    expect(door.rows()).toEqual([expect.objectContaining({ ...row, outcome: "done", bodyIn: "the wheel".length })]);
  });

  test("is not asked for in Local mode, unless a person has clicked for it", async () => {
    fakeProgram(path, "pip3", pipWith(wheel));
    door = aDoor({ isLocalMode: () => true });
    await expect(download()).rejects.toMatchObject({ code: "local-mode" });
    expect(readdirSync(to)).toEqual([]);
    await download({ byHand: true });
    expect(door.rows().map(({ outcome, error }) => [outcome, error])).toEqual([
      ["refused", "local-mode"],
      ["done", undefined],
    ]);
  });

  test("that was not clicked for is cut off when Local mode is switched on", async () => {
    const pids = join(folder, "pids");
    fakeProgram(path, "pip3", hanging(pids));
    const result = expect(download()).rejects.toMatchObject({ code: "local-mode" });
    while (!existsSync(pids) || !readFileSync(pids, "utf8")) await sleep(10);
    door.shut();
    await result;
    expect(door.rows()).toEqual([expect.objectContaining({ outcome: "failed", error: "local-mode" })]);
  });

  test("that does not come on is given up", async () => {
    fakeProgram(path, "pip3", hanging(join(folder, "pids")));
    await expect(download({ stallMs: 200 })).rejects.toMatchObject({ code: "timeout" });
  });
});
