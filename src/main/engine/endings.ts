import type { Ending } from "./engine-process.ts";
import type { EngineLimits } from "./limits.ts";

/** What a process is killed by when its own code is at fault. Anything else comes from outside: a person, the system short of memory. */
const nativeFaults: ReadonlySet<string> = new Set(["SIGABRT", "SIGSEGV", "SIGILL", "SIGBUS", "SIGFPE", "SIGTRAP"]);

/** Whether the model's file is to blame: a native fault, an exit, or a hang, while it was loaded or answered with. */
export function isFaultOfModel({ code, signal, killedFor, during }: Ending): boolean {
  if (during === "start" || during === "nothing") return false;
  if (killedFor) return killedFor === "silence" && during === "load";
  return code !== null || (signal !== null && nativeFaults.has(signal));
}

/** How a child ended, in the words of a person. */
export function describeEnding(ending: Ending, { helloMs, silenceMs, stallMs }: EngineLimits): string {
  const { code, signal, killedFor, during } = ending;
  const silence = during === "start" ? helloMs : during === "load" ? stallMs : silenceMs;
  if (killedFor === "silence") return `no sign of life for ${silence / 1000} s`;
  if (killedFor === "stall") return `no progress for ${stallMs / 1000} s`;
  if (signal) return `signal ${signal}`;
  return code === null ? "it could not be started" : `exit code ${code}`;
}
