import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Plan } from "./plan.ts";

/** What the preloaded library does to the subject; faults.c says what each means. */
export type Fault =
  | { readonly mode: "count" | "log"; readonly out: string }
  | { readonly mode: "kill-before" | "kill-after"; readonly at: number }
  | {
      readonly mode: "fail";
      readonly at: number;
      readonly calls: number;
      readonly error: "ENOSPC" | "EIO";
      readonly only?: "sync";
    };

/** How one run of the subject ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
  /** Events that it saw; undefined: it did not come to its end. */
  readonly events: number | undefined;
  /** It was killed because it did not come to its end by itself. */
  readonly hung: boolean;
}

export interface RunOptions {
  readonly fault?: Fault | undefined;
  /** SIGKILL so long after the app was ready, ms. */
  readonly killAfterMs?: number | undefined;
  /** How long a frozen subject stands still, ms. */
  readonly frozenMs?: number;
  readonly timeoutMs?: number;
  /** strace writes its own list of the same calls there. */
  readonly tracedTo?: string;
}

const subject = join(import.meta.dirname, "subject.ts");
const numberOfError = { ENOSPC: 28, EIO: 5 } as const;

/** Why the harnesses cannot run here; undefined: they can. */
export function whyNot(): string | undefined {
  if (process.platform !== "linux") return "skipped: the faults are made for Linux";
  if (spawnSync("cc", ["--version"]).status !== 0) return "skipped: no C compiler";
  return undefined;
}

/** A place in memory if there is one: thousands of small databases are written. */
export const scratchRoot = (): string => (existsSync("/dev/shm") ? "/dev/shm" : tmpdir());

/** The compiled faults and a folder for cases, both gone after `leave`. */
export function aWorkshop() {
  const root = mkdtempSync(join(scratchRoot(), "lares-crash-"));
  const library = join(root, "faults.so");
  const source = join(import.meta.dirname, "faults.c");
  execFileSync("cc", [
    "-O1",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-shared",
    "-fPIC",
    "-o",
    library,
    source,
    "-ldl",
    "-pthread",
  ]);
  let cases = 0;

  /** Empty folders for a case, or ones that begin as those of another. */
  function scene(from?: Scene): Scene {
    const folder = join(root, `case-${++cases}`);
    const made = { folder, dataFolder: join(folder, "data"), workspace: join(folder, "work") };
    mkdirSync(made.workspace, { recursive: true });
    if (from) {
      cpSync(from.dataFolder, made.dataFolder, { recursive: true });
      cpSync(from.workspace, made.workspace, { recursive: true });
    }
    return made;
  }

  return {
    root,
    scene,
    drop: ({ folder }: Scene) => rmSync(folder, { recursive: true, force: true }),
    run: (plan: Plan, options: RunOptions = {}) => runSubject({ root, library }, plan, options),
    leave: () => rmSync(root, { recursive: true, force: true }),
  };
}

export type Workshop = ReturnType<typeof aWorkshop>;

export interface Scene {
  readonly folder: string;
  readonly dataFolder: string;
  readonly workspace: string;
}

/** strace itself is not to be preloaded. */
const strace = (out: string, library: string): string[] => [
  ...["strace", "-f", "-y", "-o", out, "-E", `LD_PRELOAD=${library}`],
  ...["-e", "trace=write,writev,pwrite64,pwritev,fsync,fdatasync,ftruncate,unlink,unlinkat,rename,renameat"],
];

function variablesOf(fault: Fault | undefined, plan: Plan): Record<string, string> {
  if (!fault) return {};
  const { mode } = fault;
  const of = { LARES_FAULT_FOLDER: plan.dataFolder, LARES_FAULT_MODE: mode };
  if ("out" in fault) {
    return { ...of, LARES_FAULT_OUT: fault.out, LARES_FAULT_MARKS: join(plan.workspace, "evidence.jsonl") };
  }
  const at = { ...of, LARES_FAULT_AT: String(fault.at) };
  if (!("calls" in fault)) return at;
  const { calls, error, only } = fault;
  return {
    ...at,
    LARES_FAULT_FOR: String(calls),
    LARES_FAULT_ERRNO: String(numberOfError[error]),
    ...(only && { LARES_FAULT_ONLY: only }),
  };
}

function runSubject(
  { root, library }: { root: string; library: string },
  plan: Plan,
  { fault, killAfterMs, frozenMs = 100, timeoutMs = 20_000, tracedTo }: RunOptions,
): Promise<Ended> {
  const { PATH = "", HOME = "" } = process.env;
  const cache = { NODE_COMPILE_CACHE: join(root, "compiled") }; // half the time of a start is reading the source
  const preload = fault && { LD_PRELOAD: library };
  const env = { PATH, HOME, ...cache, ...variablesOf(fault, plan), ...(tracedTo === undefined && preload) };
  const program = [process.execPath, subject, JSON.stringify(plan)];
  const [command = "", ...values] = tracedTo === undefined ? program : [...strace(tracedTo, library), ...program];
  const child = spawn(command, values, { env, stdio: ["ignore", "pipe", "pipe"] });
  const printed = { out: "", err: "" };
  let hung = false;
  const watchdog = setTimeout(() => {
    hung = true;
    child.kill("SIGKILL");
  }, timeoutMs);
  const thaw = plan.freezeAt === undefined ? undefined : setInterval(() => child.kill("SIGCONT"), frozenMs);
  child.stderr.on("data", (data) => {
    printed.err += data;
  });
  child.stdout.on("data", (data) => {
    const wasReady = printed.out.includes("ready");
    printed.out += data;
    if (wasReady || killAfterMs === undefined || !printed.out.includes("ready")) return;
    setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(watchdog);
      clearInterval(thaw);
      const events = /^events (\d+)$/m.exec(printed.out)?.[1];
      resolve({ code, signal, stderr: printed.err, events: events === undefined ? undefined : Number(events), hung });
    });
  });
}
