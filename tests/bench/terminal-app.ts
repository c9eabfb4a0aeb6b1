import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { TurnEvent } from "../../src/shared/events.ts";
import { starterModel } from "../support/starter.ts";

const cli = join(import.meta.dirname, "../../src/main/cli.ts");

/** An event as it was printed, with the milliseconds since the process was started. */
export interface Printed {
  readonly ms: number;
  readonly event: TurnEvent;
}

/** Starts the terminal app as a person would, in a process of its own. `seen` is told each printed event as it comes. */
export function startTerminal(
  home: string,
  model: string,
  args: readonly string[],
  seen: (printed: Printed) => void = () => undefined,
) {
  const start = performance.now();
  const child = spawn(process.execPath, [cli, ...args, "--json", "--model", model], {
    cwd: home,
    env: { ...process.env, LARES_HOME: join(home, "data") },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const printed: Printed[] = [];
  createInterface(child.stdout).on("line", (line) => {
    const one = { ms: performance.now() - start, event: TurnEvent.parse(JSON.parse(line)) };
    printed.push(one);
    seen(one);
  });
  const ended = once(child, "close").then(([code]) => {
    if (code !== 0) throw new Error(`The terminal ended with ${code}: ${JSON.stringify(printed.at(-1)?.event)}`);
    return { ms: performance.now() - start, printed };
  });
  return { child, ended };
}

/** Runs `work` with an empty folder for data and workspace, and with the path of the starter model. */
export async function withHome<T>(work: (home: string, model: string) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), "lares-bench-"));
  try {
    return await work(home, await starterModel());
  } finally {
    rmSync(home, { recursive: true });
  }
}
