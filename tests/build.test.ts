import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { lockedPreferences } from "../src/main/electron/lockdown.ts";
import type { Manifest } from "./check/lockfile.ts";
import { parseSource } from "./check/source.ts";
import type { Report } from "./electron/electron.ts";
import { runCommand } from "./support/run-command.ts";

beforeAll(async () => {
  const { code, stdout, stderr } = await runCommand("electron-vite build");
  expect(code, stdout + stderr).toBe(0);
}, 60_000);

const builtFiles = () =>
  readdirSync("out", { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe("the build", () => {
  test("mirrors the source, with the entries where they are started from", () => {
    expect(builtFiles()).toEqual(
      expect.arrayContaining([
        "out/main/index.js",
        "out/main/cli.js",
        "out/main/engine/child/main.js",
        "out/preload/index.cjs",
        "out/renderer/index.html",
      ]),
    );
  });

  test("leaves packages outside, and each of them is installed with the app", () => {
    const main = builtFiles().filter((file) => file.startsWith("out/main/"));
    const imports = main.flatMap((file) => parseSource(file, readFileSync(file, "utf8")).imports);
    const names = new Set(
      imports.map(({ specifier = "computed" }) => specifier).filter((name) => !/^(\.|node:)/.test(name)),
    );
    const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;

    expect([...names]).toEqual(expect.arrayContaining(["better-sqlite3", "node-llama-cpp"]));
    const outside = [...names].map((name) => name.split("/")[0] ?? name);
    expect(outside.filter((name) => !Object.hasOwn(dependencies, name))).toEqual(["electron"]);
  });

  test("has an engine child where the keeper looks for it, and the child finds llama.cpp", async () => {
    const built = `${process.cwd()}/out/main/engine/entry.js`;
    const { engineEntry } = (await import(/* @vite-ignore */ built)) as { engineEntry(): string };
    const child = fork(engineEntry(), { stdio: ["ignore", "ignore", "ignore", "ipc"] });
    const [hello] = await once(child, "message");
    child.kill();

    expect(hello).toMatchObject({ type: "hello", library: expect.stringMatching(/^3\./) });
  });

  test("has a terminal that runs", async () => {
    const { code, stdout } = await runCommand("node out/main/cli.js help");
    expect(stdout).toBe((await runCommand("node src/main/cli.ts help")).stdout);
    expect(code).toBe(0);
  });

  test("gives the preload nothing but Electron", () => {
    const required = readFileSync("out/preload/index.cjs", "utf8").matchAll(/require\("([^"]+)"\)/g);
    expect([...required].map(([, name]) => name)).toEqual(["electron"]);
  });

  test("has a page with a strict policy, no inline script and no address elsewhere", () => {
    const page = readFileSync("out/renderer/index.html", "utf8");
    expect(page).toContain("default-src 'none'; script-src 'self'");
    expect(page).not.toMatch(/unsafe-|<script(?![^>]*\ssrc=)|\son\w+=|https?:\/\//);
  });

  test.each([
    ["a loosened window", /nodeIntegration: true|webSecurity: false|contextIsolation: false|sandbox: false/],
    ["secrets in plain text", /setUsePlainTextEncryption/],
    ["code made from text", /\beval\(|new Function\(/],
    ["a source map", /^\/\/# sourceMappingURL=/m],
    ["something like a key", /\bsk-[A-Za-z0-9]{20}|AKIA[0-9A-Z]{16}|ghp_[A-Za-z0-9]{36}|BEGIN [A-Z ]*PRIVATE KEY/],
  ])("does not contain %s", (_what, pattern) => {
    expect(builtFiles().filter((file) => pattern.test(readFileSync(file, "utf8")))).toEqual([]);
  });

  test("does not name the folder it was built in", () => {
    expect(builtFiles().filter((file) => readFileSync(file, "utf8").includes(process.cwd()))).toEqual([]);
  });
});

describe("the built main process, on a stand-in for Electron", () => {
  const start = "node --import ./tests/electron/stand-in.ts out/main/index.js";

  test("opens one locked-down window on its own page and lets a hostile page do nothing", async () => {
    const { stdout, stderr } = await runCommand(start);
    expect(stderr).toBe("");
    const { page, ...report } = JSON.parse(stdout) as Report;

    expect(report).toEqual({
      sandboxed: true,
      schemes: [{ scheme: "app", privileges: { standard: true, secure: true } }],
      preferences: lockedPreferences(join(process.cwd(), "out", "preload", "index.cjs")),
      loaded: "app://bundle/index.html",
      missing: 404,
      allowed: [],
    });
    expect(page).toEqual({ status: 200, text: readFileSync("out/renderer/index.html", "utf8") });
  });

  test("leaves the window to the first instance when it is the second", async () => {
    const { stdout } = await runCommand(start, { variables: { STAND_IN_SECOND: "yes" } });
    expect(stdout).toBe("quit\n");
  });
});
