import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { findElectron, needsBuild, planStart } from "./start-plan.ts";

/** `npm start`: builds Lares when that is needed, then opens its window, or its page in a browser where there can be no window. */
const root = join(import.meta.dirname, "..");
const flags = process.argv.slice(2);
const say = (text: string) => void process.stderr.write(`${text}\n`);

/** True when everything is there afterwards. What the build says is of no interest, unless it fails. */
async function build(): Promise<boolean> {
  say("Building Lares. This takes a few seconds.");
  const tool = join(root, "node_modules", "electron-vite", "bin", "electron-vite.js");
  const child = spawn(process.execPath, [tool, "build"], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
  const [code] = await once(child, "close");
  if (code !== 0) say(`${said}\nLares could not be built. "npm run chat" opens it in this terminal without a build.`);
  return code === 0;
}

/** Resolves with the exit code of the window's program. */
async function openWindow(program: string): Promise<number> {
  const child = spawn(program, [root, ...flags], { stdio: "inherit" });
  process.on("SIGINT", () => undefined); // Ctrl-C reaches the whole terminal, the window too
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  const [code] = await once(child, "close");
  return code ?? 1;
}

/** In this very process, so that signals and the terminal are its own. */
async function openPage(reason: string): Promise<void> {
  say(reason);
  const cli = join(root, "out", "main", "cli.js");
  process.argv = [process.execPath, cli, "serve", "--open", ...flags];
  await import(cli);
}

if (needsBuild(root) && !(await build())) {
  process.exitCode = 1;
} else {
  const isRoot = process.getuid?.() === 0;
  const place = { electron: findElectron(root), platform: process.platform, environment: process.env, isRoot };
  const plan = planStart(place);
  if ("electron" in plan) process.exitCode = await openWindow(plan.electron);
  else await openPage(plan.reason);
}
