import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** What the build is made from, and what shows that all of it was made. */
const sources = ["src", "resources", "electron.vite.config.ts", "package.json"];
const built = ["out/main/index.js", "out/main/cli.js", "out/preload/index.cjs", "out/renderer/index.html"];

/** Whether what is built under `root` is missing, in part or whole, or older than what it is made from. */
export function needsBuild(root: string): boolean {
  const made = built.map((file) => join(root, file));
  if (!made.every((file) => existsSync(file))) return true;
  const madeAt = Math.min(...made.map((file) => statSync(file).mtimeMs));
  return Math.max(...sources.map((source) => newestChange(join(root, source)))) > madeAt;
}

/** The last change of a file, or of anything in a folder, in epoch milliseconds. Tests are not part of a build. */
function newestChange(path: string): number {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  const files = readdirSync(path, { recursive: true, encoding: "utf8" }).filter((file) => !/\.test\.tsx?$/.test(file));
  return Math.max(mtimeMs, ...files.map((file) => statSync(join(path, file)).mtimeMs));
}

/** The program that shows the window, if its download is here; it is fetched after the installation, and not everywhere. */
export function findElectron(root: string): string | undefined {
  const package_ = join(root, "node_modules", "electron");
  const named = join(package_, "path.txt");
  if (!existsSync(named)) return undefined;
  const program = join(package_, "dist", readFileSync(named, "utf8").trim());
  return existsSync(program) ? program : undefined;
}

/** What decides whether Lares can open its own window. */
export interface Place {
  readonly electron: string | undefined;
  readonly platform: NodeJS.Platform;
  readonly environment: NodeJS.ProcessEnv;
  readonly isRoot: boolean;
}

/** Where Lares is shown: in its window, by that program, or in a browser, for that reason. */
export type Plan = { readonly electron: string } | { readonly reason: string };

export function planStart({ electron, platform, environment, isRoot }: Place): Plan {
  const isLinux = platform === "linux";
  if (isLinux && !environment.DISPLAY && !environment.WAYLAND_DISPLAY) {
    return { reason: "There is no display here, so Lares shows its page in a browser." };
  }
  if (electron === undefined) {
    return {
      reason: "Electron, which shows the window, is not on this computer, so Lares shows its page in a browser.",
    };
  }
  if (isLinux && isRoot) {
    return { reason: "Electron does not run for root, so Lares shows its page in a browser." };
  }
  return { electron };
}
