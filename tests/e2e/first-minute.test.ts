import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { starterEntry } from "../../src/main/models/catalogue.ts";
import { startProgram } from "../app/lares.ts";
import { builtApp } from "../support/built-app.ts";
import { storedTurns } from "../support/channels.ts";
import { launchChromium } from "../support/chromium.ts";
import { aPerson } from "../support/person.ts";
import { starterModel } from "../support/starter.ts";

// What the README promises a stranger, with everything as they have it but the network: the starter model comes out of
// the shared cache, and the build (tests/app/start.test.ts has one made) is already there.

const base = mkdtempSync(join(tmpdir(), "lares-first-minute-"));
let cache = "";
beforeAll(async () => {
  cache = dirname(await starterModel());
  const clone = join(base, "clone");
  mkdirSync(clone);
  for (const name of ["src", "resources", "node_modules"]) symlinkSync(resolve(name), join(clone, name));
  for (const name of ["scripts", "package.json", "electron.vite.config.ts"]) {
    cpSync(name, join(clone, name), { recursive: true });
  }
  cpSync(join(await builtApp(), "out"), join(clone, "out"), { recursive: true }); // newer than its sources now
}, 600_000);
afterAll(() => rmSync(base, { recursive: true, force: true }));

test.runIf(process.platform === "linux")(
  "npm start in an empty home prints an address; there, three actions bring an answer of the real model",
  async () => {
    const home = join(base, "home of a stranger 家");
    mkdirSync(home);
    const dataFolder = join(home, "lares");
    const { child, printed, ended } = startProgram(process.execPath, [join(base, "clone", "scripts", "start.ts")], {
      keepTyping: true,
      env: { HOME: home, LARES_HOME: dataFolder, LARES_MODEL_CACHE: cache, DISPLAY: "", WAYLAND_DISPLAY: "" },
    });
    let said = "";
    child.stdout.on("data", (text: string) => {
      said += text;
    });
    await printed(/#t=\S+\s/);
    const browser = await launchChromium();
    onTestFinished(() => browser.close());
    const page = await browser.newPage({ locale: "en-US" });
    const problems: string[] = [];
    page.on("console", (line) => void (/error|warning/.test(line.type()) && problems.push(line.text())));
    page.on("pageerror", (thrown) => problems.push(String(thrown)));
    await page.goto(/http:\S+/.exec(said)?.[0] ?? "");
    const me = aPerson(page);

    await page.getByRole("button", { name: `Get it: ${starterEntry().name}` }).click();
    await me.box.waitFor();
    await page.keyboard.type("What is the capital of France?"); // the cursor is in the box already
    await page.keyboard.press("Enter");

    await me.answered("What is the capital of France?");
    const shown = await me.answer("What is the capital of France?").textContent();
    expect(shown).toContain("Paris");
    expect(existsSync(join(dataFolder, "models", starterEntry().file))).toBe(true);
    expect(readdirSync(home)).toEqual(["lares"]); // and nothing elsewhere in the home
    expect(problems).toEqual([]);

    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0, aside: expect.not.stringContaining("Building") });
    const [turn] = storedTurns({ dataFolder }, "What is the capital of France?");
    expect(turn?.turn.stopReason).toBe("completed");
    expect(JSON.stringify(turn?.rows)).toContain(JSON.stringify(shown).slice(1, -1));
  },
  90_000,
);
