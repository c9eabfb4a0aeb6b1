import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { findElectron, needsBuild, type Place, planStart } from "../../scripts/start-plan.ts";
import { openSocket, trade } from "../support/loopback.ts";
import { logOf, startProgram } from "./lares.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "lares-start-"));
});
afterEach(() => rmSync(root, { recursive: true }));

/** A file of that age. */
function put(path: string, secondsAgo: number): void {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), "");
  const time = Date.now() / 1000 - secondsAgo;
  utimesSync(join(root, path), time, time);
}

describe("a build", () => {
  const sources = ["src/main/app.ts", "src/renderer/App.tsx", "resources/models.json", "electron.vite.config.ts"];
  const built = ["out/main/index.js", "out/main/cli.js", "out/preload/index.cjs", "out/renderer/index.html"];
  const folders = ["src", "src/main", "src/renderer", "resources"];

  beforeEach(() => {
    for (const path of [...sources, "package.json"]) put(path, 100);
    for (const path of built) put(path, 50);
    const time = Date.now() / 1000 - 100;
    for (const folder of folders) utimesSync(join(root, folder), time, time);
  });

  test("that is newer than everything it is made from is used", () => {
    expect(needsBuild(root)).toBe(false);
  });

  test.each(built)("without %s is made again", (path) => {
    rmSync(join(root, path));
    expect(needsBuild(root)).toBe(true);
  });

  test.each([...sources, "package.json"])("that is older than %s is made again", (path) => {
    put(path, 10);
    expect(needsBuild(root)).toBe(true);
  });

  test("is made again when a file was removed from its source", () => {
    rmSync(join(root, "src/renderer/App.tsx"));
    expect(needsBuild(root)).toBe(true);
  });

  test("does not care about tests", () => {
    put("src/main/app.test.ts", 10);
    const time = Date.now() / 1000 - 100;
    utimesSync(join(root, "src/main"), time, time);
    expect(needsBuild(root)).toBe(false);
  });
});

describe("Lares", () => {
  const here: Place = { electron: "/electron", platform: "linux", environment: { DISPLAY: ":0" }, isRoot: false };
  test.each<[string, Partial<Place>, unknown]>([
    ["in its window with a display", {}, { electron: "/electron" }],
    ["in its window on Wayland", { environment: { WAYLAND_DISPLAY: "wayland-0" } }, { electron: "/electron" }],
    ["in its window on macOS", { platform: "darwin", environment: {} }, { electron: "/electron" }],
    ["in its window on Windows", { platform: "win32", environment: {} }, { electron: "/electron" }],
    ["in a browser without a display", { environment: {} }, { reason: expect.stringContaining("no display") }],
    [
      "in a browser without Electron",
      { electron: undefined },
      { reason: expect.stringContaining("not on this computer") },
    ],
    ["in a browser for root", { isRoot: true }, { reason: expect.stringContaining("root") }],
  ])("opens %s", (_where, place, plan) => {
    expect(planStart({ ...here, ...place })).toEqual(plan);
  });

  test("looks for Electron's own download", () => {
    expect(findElectron(root)).toBeUndefined();
    put("node_modules/electron/path.txt", 0);
    writeFileSync(join(root, "node_modules/electron/path.txt"), "electron\n");
    expect(findElectron(root)).toBeUndefined();
    put("node_modules/electron/dist/electron", 0);
    expect(findElectron(root)).toBe(join(root, "node_modules/electron/dist/electron"));
  });
});

const isLinux = process.platform === "linux";

test.runIf(isLinux)(
  "a new clone without a display is built, serves its page, lets one page in, and stops",
  async () => {
    for (const part of [
      "src",
      "scripts",
      "resources",
      "electron.vite.config.ts",
      "package.json",
      "tsconfig.base.json",
    ]) {
      cpSync(part, join(root, part), { recursive: true });
    }
    symlinkSync(resolve("node_modules"), join(root, "node_modules"));
    const home = join(root, "home");
    const env = { LARES_HOME: home, DISPLAY: "", WAYLAND_DISPLAY: "" };
    const script = join(root, "scripts", "start.ts");
    const { child, printed, ended } = startProgram(process.execPath, [script, "--wait", "0"], {
      keepTyping: true,
      env,
    });
    let out = "";
    child.stdout.on("data", (text: string) => {
      out += text;
    });
    await printed(/stops Lares\.\n/);
    const [, address = ""] = /Lares is open at (\S+)\n/.exec(out) ?? [];
    const { origin, port } = new URL(address);

    const page = await fetch(origin);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id="root">')]);
    const { session } = await trade(address);
    const socket = await openSocket({ origin }, { session });
    socket.send(JSON.stringify({ id: 7, name: "app.hello", input: {} }));
    const [frame] = await once(socket, "message");
    expect(JSON.parse(String(frame))).toMatchObject({ id: 7, reply: { ok: true, value: { shell: "browser" } } });

    child.stdin.write("\n");
    await printed(/open at.*open at/s);
    const addresses = [...out.matchAll(/#t=(\S+)/g)].map(([, token]) => token);
    expect(new Set(addresses).size).toBe(2);

    child.kill("SIGTERM");
    const end = await ended;
    expect(end).toMatchObject({ code: 0, aside: expect.stringContaining("There is no display here") });
    expect(await refuses(Number(port))).toBe(true);

    // K22: nothing that lets somebody in was written anywhere.
    const logged = JSON.stringify(logOf(home));
    expect(logged).toContain("browser.page-opened");
    for (const secret of [...addresses, session]) expect(logged).not.toContain(secret);
    expect(existsSync(join(root, "out", "renderer", "index.html"))).toBe(true);
  },
  60_000,
);

async function refuses(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  return new Promise((done) => socket.on("error", () => done(true)).on("connect", () => done(false)));
}
