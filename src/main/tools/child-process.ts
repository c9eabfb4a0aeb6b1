import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { AppError } from "../../shared/errors.ts";

/** From asking a program to end to killing it. */
const GRACE_MS = 500;
const LOOK_MS = 20;
const USUAL_CAP = 1_000_000;
const isWindows = process.platform === "win32";

export interface ProcessOptions {
  readonly cwd: string;
  /** All that the program knows of the environment: whoever starts it decides. */
  readonly env: NodeJS.ProcessEnv;
  /** Ends the program and whatever it started. */
  readonly signal: AbortSignal;
  /** Bytes that are kept of each output. */
  readonly outputCap?: number;
}

export interface ProcessEnd {
  /** Null: a signal ended it. */
  readonly code: number | null;
  readonly stdout: Output;
  readonly stderr: Output;
}

export interface Output {
  /** Its beginning. */
  readonly text: string;
  /** Bytes after that. */
  readonly lost: number;
}

/**
 * The one way in which tools start programs: without a shell, with nothing on its input, in a process group of its own.
 * Once it is over, or the signal fires, the whole group is asked to end, and what is left of it half a second later is
 * killed, before this resolves or rejects. On Windows what outlives the program is ended by the signal only. Throws
 * AppError `tool-failed` for what cannot be started, `aborted` after the signal.
 */
export async function runProcess(
  command: string,
  args: readonly string[],
  { cwd, env, signal, outputCap = USUAL_CAP }: ProcessOptions,
): Promise<ProcessEnd> {
  if (signal.aborted) throw stopped();
  const child = spawn(command, args, {
    cwd,
    env,
    detached: !isWindows,
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr] = [collect(child.stdout, outputCap), collect(child.stderr, outputCap)];
  const { promise: over, resolve, reject } = Promise.withResolvers<number | null>();
  const closed = new Promise((done) => child.once("close", done));
  const onAbort = () => reject(stopped());
  const onQuit = () => void signalGroup(child.pid, "SIGKILL");
  child.on("exit", resolve).on("error", (error) => reject(notStarted(command, error)));
  signal.addEventListener("abort", onAbort, { once: true });
  process.once("exit", onQuit);
  try {
    const code = await over.finally(() => endGroup(child.pid));
    await Promise.race([closed, wait(GRACE_MS, undefined, { ref: false })]); // who left the group may hold the outputs
    return { code, stdout: stdout(), stderr: stderr() };
  } finally {
    signal.removeEventListener("abort", onAbort);
    process.removeListener("exit", onQuit);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

const stopped = () => new AppError("aborted", "Stopped.");

function notStarted(command: string, error: Error): AppError {
  const why = "code" in error ? error.code : error.name;
  return new AppError("tool-failed", `${command} could not be started (${why}).`, error);
}

/** Keeps the beginning of an output and reads the rest away, so that nobody waits for it to be read. */
function collect(output: Readable, cap: number): () => Output {
  const kept: Buffer[] = [];
  let bytes = 0;
  output.on("data", (chunk: Buffer) => {
    if (bytes < cap) kept.push(Buffer.from(chunk.subarray(0, cap - bytes)));
    bytes += chunk.length;
  });
  return () => {
    const text = new TextDecoder().decode(Buffer.concat(kept), { stream: true }); // half a character at its end is lost
    return { text, lost: Math.max(0, bytes - cap) };
  };
}

/** Resolves when nobody of the group is left. */
async function endGroup(pid: number | undefined): Promise<void> {
  if (isWindows) return endTree(pid);
  const deadline = performance.now() + GRACE_MS;
  signalGroup(pid, "SIGTERM");
  while (signalGroup(pid, 0)) {
    if (performance.now() >= deadline) return void signalGroup(pid, "SIGKILL");
    await wait(LOOK_MS);
  }
}

/** Returns whether there was anybody who could get the signal. */
function signalGroup(pid: number | undefined, signal: NodeJS.Signals | 0): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(isWindows ? pid : -pid, signal);
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && (thrown.code === "ESRCH" || thrown.code === "EPERM"))
      return false;
    throw thrown;
  }
}

async function endTree(pid: number | undefined): Promise<void> {
  if (pid === undefined || !signalGroup(pid, 0)) return;
  const killer = spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
  await new Promise((done) => killer.once("close", done).once("error", done));
}
