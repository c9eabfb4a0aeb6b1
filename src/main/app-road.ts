import type { Interface } from "node:readline/promises";
import { AppError, toAppError } from "../shared/errors.ts";
import type { App, createApp } from "./app.ts";
import type { CliArguments } from "./channels/arguments.ts";
import { askPerson } from "./channels/ask-person.ts";
import { reachFirst } from "./channels/remote.ts";
import { lastingRoad, type Road, roadInside } from "./channels/road.ts";
import type { Output } from "./channels/terminal.ts";
import { monotonicMs } from "./lib/clock.ts";
import type { ModelEntry } from "./models/catalogue.ts";

export interface RoadOptions {
  readonly cli: CliArguments;
  readonly output: Output;
  /** Where a person types already. */
  readonly lines?: Interface | undefined;
  readonly open: typeof createApp;
}

/** The assistant, as a command of the terminal has it. */
export interface Reached {
  readonly road: Road;
  /** Of this process; undefined: another Lares has the data folder, and this goes through it. */
  readonly app?: App | undefined;
  /** Resolves when nothing runs in this process. */
  idle(): Promise<void>;
}

interface End extends Reached {
  leave(): Promise<void>;
}

/** How long to wait for the folder before it is looked again whether its Lares answers. */
const LOOK_MS = 250;

/**
 * Opens the assistant for as long as `work` takes: this process's own, or, where one is open on the data folder already,
 * a way through that. Throws AppError (data-busy, bad-request, …).
 */
export async function withRoad(options: RoadOptions, work: (reached: Reached) => Promise<number>): Promise<number> {
  let end = await reach(options);
  const road = lastingRoad(end.road, async () => {
    await end.leave();
    end = await reach(options);
    return end.road;
  });
  try {
    return await work({ road, app: end.app, idle: () => end.idle() });
  } finally {
    await end.leave();
  }
}

async function reach(options: RoadOptions): Promise<End> {
  const { dataFolder, waitSeconds } = options.cli;
  const deadline = monotonicMs() + waitSeconds * 1000;
  for (let tries = 0; ; tries++) {
    const through = await throughFirst(options);
    if (through) return through;
    const left = Math.max(0, deadline - monotonicMs());
    try {
      return await ofItsOwn(options, Math.min(LOOK_MS, left));
    } catch (thrown) {
      if (toAppError(thrown).code !== "data-busy" || left === 0) throw thrown;
    }
    if (tries === 0) {
      options.output.aside(`Another Lares is using ${dataFolder}. Waiting up to ${waitSeconds} s for it to end…\n`);
    }
  }
}

async function throughFirst({ cli, output }: RoadOptions): Promise<End | undefined> {
  const first = await reachFirst(cli.dataFolder);
  if (!first) return undefined;
  if (cli.forItself.length > 0) {
    first.close();
    throw new AppError(
      "bad-request",
      `Lares is open already, and what it was opened with stays: leave out ${cli.forItself.join(", ")}, or close it first.`,
    );
  }
  const { workspace } = first.hello.folders;
  const where = cli.workspace === undefined || workspace === cli.workspace ? "" : ` It reads in ${workspace}.`;
  output.aside(`Lares is open already: this goes through it.${where}\n`);
  return { road: first.road, idle: async () => undefined, leave: async () => first.close() };
}

async function ofItsOwn({ cli, output, lines, open }: RoadOptions, waitMs: number): Promise<End> {
  const { command, dataFolder, workspace, model, tryHeld, yes } = cli;
  const isPage = command === "serve";
  const app = await open({
    dataFolder,
    workspace,
    chosen: model,
    tryHeld,
    waitMs,
    ...(isPage && { mustOpen: "when-free" }), // a page has room to say what is wrong
    // the page has its own way to say yes
    mayFetch: async (entry, signal) => yes || (!isPage && output.live && (await askToFetch(entry, signal, lines))),
  });
  const client = app.desk.connect({ kind: "terminal" }, ({ seq }) => void client.call("stream.ack", { seq }));
  const others = () => output.aside("Another terminal goes through this one, which ends after it. Ctrl-C ends both.\n");
  return {
    road: roadInside(app.bus, client),
    app,
    idle: app.idle,
    async leave() {
      if (!isPage) await app.door.leave(others); // who closes the page means it
      await app.close();
    },
  };
}

/** The one question of a first start. Without a person to ask, or when they leave it, the answer is no. */
async function askToFetch(entry: ModelEntry, signal: AbortSignal, lines: Interface | undefined): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const { name, bytes, licence } = entry;
  const question = `Lares needs a model. Fetch ${name} (${Math.round(bytes / 1e6)} MB, ${licence}) now? [Y/n] `;
  const answer = await askPerson(question, { signal, lines });
  return answer !== undefined && /^(y|yes|)$/i.test(answer.trim());
}
