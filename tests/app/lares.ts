import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { onTestFinished } from "vitest";
import { createStore } from "../../src/main/db/store.ts";
import { TurnEvent } from "../../src/shared/events.ts";
import { brief } from "../support/agent.ts";

export const cli = resolve("src/main/cli.ts");

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Standard output and standard error. */
  readonly out: string;
  readonly aside: string;
}

export interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ran>;
  /** Waits until what was printed so far, on both outputs, matches. Rejects when the program ends before that. */
  printed(pattern: RegExp): Promise<void>;
}

export interface Options {
  readonly input?: string | Buffer;
  /** Does not end its standard input, so that more can be typed. */
  readonly keepTyping?: boolean;
  readonly env?: NodeJS.ProcessEnv;
  /** A program that runs it: `unshare -n`, say. */
  readonly under?: readonly string[];
}

/** Starts the real command line on a data folder. It is killed with the test, if it still runs then. */
export function startLares(home: string, args: readonly string[], options: Options = {}): Started {
  const [program = "", ...rest] = [...(options.under ?? []), process.execPath, cli, ...args];
  return startProgram(program, rest, { ...options, env: { LARES_HOME: home, ...options.env } });
}

/** Runs the real command line to its end. */
export const lares = (home: string, args: readonly string[], options: Options = {}): Promise<Ran> =>
  startLares(home, args, options).ended;

/** Starts any program with what `startLares` gives. */
export function startProgram(program: string, args: readonly string[], options: Options = {}): Started {
  const child = spawn(program, args, { env: { ...process.env, ...options.env } });
  const seen = { out: "", aside: "" };
  const listeners = new Set<() => void>();
  const listen = (stream: "stdout" | "stderr", to: "out" | "aside") =>
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      seen[to] += text;
      for (const listener of listeners) listener();
    });
  listen("stdout", "out");
  listen("stderr", "aside");
  child.stdin.on("error", () => undefined); // it may end without having read its input
  if (options.input !== undefined) child.stdin.write(options.input);
  if (!options.keepTyping) child.stdin.end();
  const ended = once(child, "close").then(([code, signal]): Ran => ({ code, signal, ...seen }));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });

  async function printed(pattern: RegExp): Promise<void> {
    const { promise, resolve: found } = Promise.withResolvers<"found">();
    const look = () => pattern.test(seen.out + seen.aside) && found("found");
    listeners.add(look);
    look();
    const first = await Promise.race([promise, ended]);
    listeners.delete(look);
    if (first !== "found" && !look())
      throw new Error(`It ended before it printed ${pattern}: ${JSON.stringify(first)}`);
  }

  return { child, ended, printed };
}

/** What `--json` printed. */
export const eventsOf = (out: string): TurnEvent[] =>
  out
    .trim()
    .split("\n")
    .map((line) => TurnEvent.parse(JSON.parse(line)));

/** The rows of a session, each in a line, and what is wrong with the store: nothing, in every case. */
export function stored(home: string, sessionId = "s") {
  const store = createStore(join(home, "lares.db"));
  try {
    return {
      rows: store.page(sessionId, { limit: 1000 }).map(brief),
      problems: store.check(),
      open: store.unfinishedTurns().map(({ id }) => id),
    };
  } finally {
    store.close();
  }
}

/** Process ids of the engine children that the log of a data folder tells of, oldest first. */
export const enginesOf = (home: string): number[] =>
  logOf(home).flatMap(({ event, pid }) => (event === "engine.started" ? [Number(pid)] : []));

/** The lines of a data folder's log. */
export function logOf(home: string): Record<string, unknown>[] {
  const folder = join(home, "logs");
  if (!existsSync(folder)) return [];
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"));
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A store that is sound and holds these rows. */
export const soundWith = (...rows: unknown[]) => ({ rows, problems: [], open: [] });
