import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type Browser, chromium, type LaunchOptions } from "playwright-core";

const installed = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/**
 * Starts a real Chromium without a screen: the one LARES_TEST_BROWSER names, else one installed on this computer, else
 * the one in the npm package @sparticuz/chromium (Linux x64). Starting it takes about a second: share one in a test file.
 */
export async function launchChromium(options: LaunchOptions = {}): Promise<Browser> {
  const executablePath = process.env.LARES_TEST_BROWSER || installed.find((path) => existsSync(path));
  const args = ["--no-sandbox", "--disable-dev-shm-usage", "--font-render-hinting=none", ...(options.args ?? [])];
  return chromium.launch({ ...options, args, executablePath: executablePath ?? (await packagedChromium()) });
}

/**
 * The package unpacks itself into the folder for temporary files, and takes what already lies there for whole. So it is
 * unpacked by a program of its own into a folder of its own, which gets its final name only when all of it is there:
 * several test processes may ask at once, and one may be killed.
 */
async function packagedChromium(): Promise<string> {
  const main = createRequire(import.meta.url).resolve("@sparticuz/chromium");
  const { version } = createRequire(import.meta.url)(join(dirname(main), "..", "package.json")) as { version: string };
  const cache = join(import.meta.dirname, "..", "..", "node_modules", ".cache", "chromium");
  const folder = join(cache, version);
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    const part = mkdtempSync(join(cache, "part-"));
    const unpack = `import(${JSON.stringify(main)}).then(({ default: chromium }) => chromium.executablePath())`;
    await promisify(execFile)(process.execPath, ["-e", unpack], { env: { ...process.env, TMPDIR: part } });
    try {
      renameSync(part, folder);
    } catch (thrown) {
      rmSync(part, { recursive: true });
      if (!existsSync(folder)) throw thrown; // else another process was quicker
    }
  }
  return join(folder, "chromium");
}
