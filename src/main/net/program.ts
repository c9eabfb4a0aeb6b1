import { type ChildProcess, spawn } from "node:child_process";

export interface ProgramEnd {
  /** Exit code; null when a signal ended it. */
  readonly code: number | null;
  /** The last few thousand characters of what it complained about. */
  readonly complaint: string;
}

export interface ProgramOptions {
  readonly environment: NodeJS.ProcessEnv;
  /** Kills the program and everything it started. */
  readonly signal: AbortSignal;
}

const keptComplaint = 4000;

/** Runs a program to its end, without a shell and with nothing on its input. Undefined when it does not exist. */
export async function runProgram(
  command: readonly [string, ...string[]],
  { environment, signal }: ProgramOptions,
): Promise<ProgramEnd | undefined> {
  signal.throwIfAborted();
  const [program, ...args] = command;
  const detached = process.platform !== "win32"; // a process group of its own can be killed as a whole
  const child = spawn(program, args, { env: environment, detached, stdio: ["ignore", "ignore", "pipe"] });
  const kill = () => killGroup(child, detached);
  signal.addEventListener("abort", kill);
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(-keptComplaint);
  });
  try {
    return await new Promise<ProgramEnd | undefined>((resolve, reject) => {
      child.on("error", (error: NodeJS.ErrnoException) =>
        error.code === "ENOENT" ? resolve(undefined) : reject(error),
      );
      child.on("close", (code) => resolve({ code, complaint }));
    });
  } finally {
    signal.removeEventListener("abort", kill);
  }
}

function killGroup(child: ChildProcess, group: boolean): void {
  if (child.pid === undefined || child.exitCode !== null) return;
  try {
    if (group) process.kill(-child.pid, "SIGKILL");
    else child.kill("SIGKILL");
  } catch (thrown) {
    // It ended by itself a moment ago: just what was wanted.
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "ESRCH")) throw thrown;
  }
}
