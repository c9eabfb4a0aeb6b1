import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";

const base = mkdtempSync(join(tmpdir(), "lares-keyring-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const isThere = (program: string): boolean => {
  try {
    execFileSync("which", [program], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};
const missing = ["dbus-run-session", "gnome-keyring-daemon"].filter((program) => !isThere(program));
const inSession = test.skipIf(process.platform !== "linux" || missing.length > 0);

const child = resolve("tests/support/keyring-child.ts");

async function run(home: string, [program = "", ...args]: readonly string[], env: NodeJS.ProcessEnv) {
  const { stdout } = await promisify(execFile)(program, args, { env: { ...process.env, ...env } });
  const [said = "{}"] = /\{.*\}$/s.exec(stdout) ?? [];
  return { ...JSON.parse(said), file: join(home, "vault", "keys.json") };
}

const UNLOCKED = "printf passphrase | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; exec";

inSession("without a window the keyring of the desktop keeps a key, and the file only knows of it", async () => {
  const home = mkdtempSync(join(base, "home-"));
  mkdirSync(join(home, "run"), { mode: 0o700 });
  const session = ["dbus-run-session", "--", "sh", "-c", `${UNLOCKED} "${process.execPath}" "${child}" "${home}"`];
  const ran = await run(home, session, { XDG_DATA_HOME: join(home, "xdg"), XDG_RUNTIME_DIR: join(home, "run") });
  expect(ran.state).toMatchObject({ tier: "system", backend: "Secret Service", locked: false });
  expect(ran).toMatchObject({ another: "sk-CANARY-0123456789abcdef", removed: "key-missing" });
  expect(readFileSync(ran.file, "utf8")).not.toContain("CANARY");
});

test.skipIf(process.platform !== "linux").each([
  ["no session bus", ""],
  ["a session bus that does not answer", "unix:path=/nowhere"],
])(
  "with %s keys are kept for this run, and it says why; the keyring of the kernel, which forgets, is not taken",
  async (_what, bus) => {
    const home = mkdtempSync(join(base, "home-"));
    const ran = await run(home, [process.execPath, child, home], { DBUS_SESSION_BUS_ADDRESS: bus });
    expect(ran.state).toMatchObject({
      tier: "session",
      available: ["passphrase", "session"],
      reason: expect.any(String),
    });
    expect(ran.another).toBe("key-missing");
    expect(existsSync(ran.file)).toBe(false);
  },
);
