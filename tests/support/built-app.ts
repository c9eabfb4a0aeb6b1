import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { runCommand } from "./run-command.ts";

const root = join(import.meta.dirname, "..", "..");
const cache = join(root, "node_modules", ".cache", "lares-build");
/** Longer than any run of the tests. */
const HOUR = 60 * 60_000;

/**
 * A folder with the built app in `out/`, of the sources as they are now. It is built once for each state of them, into
 * a folder of its own, so that test files that run at the same time never see half a build (`out/` itself may be one).
 */
export async function builtApp(): Promise<string> {
  const folder = join(cache, hashOfSources());
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  removeOld();
  const part = mkdtempSync(join(cache, "part-"));
  writeFileSync(join(part, "package.json"), '{ "type": "module", "main": "out/main/index.js" }');
  const build = `electron-vite build --logLevel error --outDir ${join(part, "out")}`;
  const { code, stdout, stderr } = await runCommand(build, { cwd: root });
  if (code !== 0) {
    rmSync(part, { recursive: true });
    throw new Error(`The app does not build:\n${stdout}${stderr}`);
  }
  try {
    renameSync(part, folder);
  } catch (thrown) {
    rmSync(part, { recursive: true });
    if (!existsSync(folder)) throw thrown; // else another process was quicker
  }
  return folder;
}

function hashOfSources(): string {
  const hash = createHash("sha256");
  const files = ["src", "resources"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.includes(".test."))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  for (const file of [join(root, "electron.vite.config.ts"), join(root, "package-lock.json"), ...files.sort()]) {
    hash.update(file).update("\0").update(readFileSync(file)).update("\0");
  }
  return hash.digest("hex").slice(0, 16);
}

function removeOld(): void {
  for (const name of readdirSync(cache)) {
    const folder = join(cache, name);
    if (Date.now() - statSync(folder).mtimeMs > HOUR) rmSync(folder, { recursive: true, force: true });
  }
}
