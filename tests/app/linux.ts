import { execFileSync } from "node:child_process";
import { startProgram } from "./lares.ts";

/** Whether this computer lets us do this: it has the program, and we have the right. */
export function can(program: string, ...args: readonly string[]): boolean {
  if (process.platform !== "linux") return false;
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A world with mounts of its own, in which `setup`, a shell script, has been run. It ends with the test, and its mounts with it. */
export interface OtherWorld {
  /** The program that runs another one in there. */
  readonly under: readonly string[];
  /** Where its files are, seen from out here. */
  outside(path: string): string;
}

export async function otherWorld(setup: string): Promise<OtherWorld> {
  const holder = startProgram("unshare", ["-m", "sh", "-ec", `${setup}\necho ready; exec cat`], { keepTyping: true });
  await holder.printed(/ready/);
  const pid = holder.child.pid;
  const nsenter = execFileSync("sh", ["-c", "command -v nsenter"], { encoding: "utf8" }).trim(); // whatever PATH a test sets
  return { under: [nsenter, "-t", String(pid), "-m", "--"], outside: (path) => `/proc/${pid}/root${path}` };
}
