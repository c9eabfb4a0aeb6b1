import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { pageHeaders } from "../src/shared/policy.ts";
import type { Manifest } from "./check/lockfile.ts";
import { parseSource } from "./check/source.ts";
import { builtApp } from "./support/built-app.ts";
import { runCommand } from "./support/run-command.ts";

let app: string;
beforeAll(async () => {
  app = await builtApp();
}, 60_000);

/** Every file of the build, from `out/` on. */
const builtFiles = () =>
  readdirSync(join(app, "out"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(app, join(entry.parentPath, entry.name)));
const read = (file: string) => readFileSync(join(app, file), "utf8");

describe("the build", () => {
  test("mirrors the source, with the entries where they are started from", () => {
    expect(builtFiles()).toEqual(
      expect.arrayContaining([
        "out/main/index.js",
        "out/main/cli.js",
        "out/main/engine/child/main.js",
        "out/main/db/maintenance/worker.js",
        "out/preload/index.cjs",
        "out/renderer/index.html",
      ]),
    );
  });

  test("leaves packages outside, and each of them is installed with the app", () => {
    const main = builtFiles().filter((file) => file.startsWith("out/main/"));
    const imports = main.flatMap((file) => parseSource(file, read(file)).imports);
    const names = new Set(
      imports.map(({ specifier = "computed" }) => specifier).filter((name) => !/^(\.|node:)/.test(name)),
    );
    const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;

    expect([...names]).toEqual(expect.arrayContaining(["better-sqlite3", "node-llama-cpp"]));
    const outside = [...names].map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
    expect(outside.filter((name) => !Object.hasOwn(dependencies, name))).toEqual(["electron"]);
  });

  test("has an engine child where the keeper looks for it, and the child finds llama.cpp", async () => {
    const built = join(app, "out", "main", "engine", "entry.js");
    const { engineEntry } = (await import(/* @vite-ignore */ built)) as { engineEntry(): string };
    const child = fork(engineEntry(), { stdio: ["ignore", "ignore", "ignore", "ipc"] });
    const [hello] = await once(child, "message");
    child.kill();

    expect(hello).toMatchObject({ type: "hello", library: expect.stringMatching(/^3\./) });
  });

  test("has a terminal that runs", async () => {
    const { code, stdout } = await runCommand(`node ${join(app, "out", "main", "cli.js")} help`);
    expect(stdout).toBe((await runCommand("node src/main/cli.ts help")).stdout);
    expect(code).toBe(0);
  });

  test("gives the preload nothing but Electron", () => {
    const required = read("out/preload/index.cjs").matchAll(/require\("([^"]+)"\)/g);
    expect([...required].map(([, name]) => name)).toEqual(["electron"]);
  });

  test("has a page without inline scripts and addresses elsewhere; its policy comes as a header", () => {
    const page = read("out/renderer/index.html");
    expect(pageHeaders["Content-Security-Policy"]).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(page).not.toMatch(/unsafe-|<script(?![^>]*\ssrc=)|\son\w+=|https?:\/\//);
  });

  test.each([
    ["a loosened window", /nodeIntegration: true|webSecurity: false|contextIsolation: false|sandbox: false/],
    ["secrets in plain text", /setUsePlainTextEncryption/],
    ["code made from text", /\beval\(|new Function\((?!""\))/], // zod asks with an empty one whether it might, and hears no
    ["a source map", /^\/\/# sourceMappingURL=/m],
    ["something like a key", /\bsk-[A-Za-z0-9]{20}|AKIA[0-9A-Z]{16}|ghp_[A-Za-z0-9]{36}|BEGIN [A-Z ]*PRIVATE KEY/],
  ])("does not contain %s", (_what, pattern) => {
    expect(builtFiles().filter((file) => pattern.test(read(file)))).toEqual([]);
  });

  test("does not name the folder it was built in", () => {
    expect(builtFiles().filter((file) => read(file).includes(process.cwd()))).toEqual([]);
  });
});
