import { execFileSync } from "node:child_process";
import { cli, type Options, type Started, startProgram } from "./lares.ts";

/** A program that gives another one a terminal, and passes on what comes in by a pipe: script of util-linux, or Python. */
function findTerminal(): ((command: readonly string[]) => readonly string[]) | undefined {
  if (process.platform === "win32") return undefined;
  if (isThere("script", ["--version"], /util-linux/)) {
    return (command) => ["script", "-qec", command.map((word) => `'${word}'`).join(" "), "/dev/null"];
  }
  const spawn = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)";
  if (isThere("python3", ["-c", "import pty"], /^/)) return (command) => ["python3", "-c", spawn, ...command];
  return undefined;
}

function isThere(program: string, args: readonly string[], said: RegExp): boolean {
  try {
    return said.test(execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  } catch {
    return false;
  }
}

const terminal = findTerminal();

/** Undefined where a terminal can be had, else why not. */
export const noTerminal = terminal ? undefined : "neither script of util-linux nor python3 is here";

export interface Typing extends Started {
  type(keys: string): void;
}

/** Starts the real command line in a terminal in which a person types. */
export function laresInTerminal(home: string, args: readonly string[], { env }: Pick<Options, "env"> = {}): Typing {
  const [program = "", ...rest] = terminal?.([process.execPath, cli, ...args]) ?? [];
  const options = { keepTyping: true, env: { LARES_HOME: home, TERM: "xterm", ...env } };
  const started = startProgram(program, rest, options);
  return { ...started, type: (keys) => void started.child.stdin.write(keys) };
}

export const ctrlC = "\x03";
export const ctrlD = "\x04";
export const enter = "\r";
