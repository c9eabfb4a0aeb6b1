import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, createApp } from "../../src/main/app.ts";
import { newId } from "../../src/main/lib/clock.ts";
import type { TurnEvent } from "../../src/shared/events.ts";
import type { Usage } from "../../src/shared/message.ts";
import type { Ended } from "../support/agent.ts";
import { starterModel } from "../support/starter.ts";

/** One turn as a channel sees it. Times are milliseconds since the message was handed over. */
export interface Asked {
  readonly firstDeltaMs: number | undefined;
  readonly endedMs: number;
  readonly ended: Ended;
  readonly events: readonly TurnEvent[];
}

interface AskOptions {
  readonly sessionId?: string;
  /** Sees every event of the turn as it comes. */
  readonly watch?: (event: TurnEvent) => void;
}

export interface RealApp extends Pick<App, "bus"> {
  readonly workspace: string;
  ask(text: string, options?: AskOptions): Promise<Asked>;
}

/** Runs `work` with the whole app: real store, real engine child, the starter model. Its folders are gone afterwards. */
export async function withRealApp<T>(work: (real: RealApp) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "lares-bench-"));
  const workspace = join(folder, "workspace");
  mkdirSync(workspace);
  const app = await createApp({ dataFolder: join(folder, "data"), workspace, chosen: await starterModel() });
  try {
    const ask = (text: string, options: AskOptions = {}) => askApp(app, text, options);
    await ask("What is the capital of France?"); // loads the model: what follows is measured on a warm one
    return await work({ bus: app.bus, workspace, ask });
  } finally {
    await app.close();
    rmSync(folder, { recursive: true });
  }
}

/** One turn of a chat. */
export function askApp({ bus }: App, text: string, { sessionId = newId(), watch }: AskOptions): Promise<Asked> {
  const { promise, resolve } = Promise.withResolvers<Asked>();
  const events: TurnEvent[] = [];
  let firstDeltaMs: number | undefined;
  const unlisten = bus.listen((event) => {
    if (!("sessionId" in event) || event.sessionId !== sessionId) return;
    const ms = performance.now() - start;
    events.push(event);
    if (event.type === "delta") firstDeltaMs ??= ms;
    watch?.(event);
    if (event.type !== "turn.ended") return;
    unlisten();
    resolve({ firstDeltaMs, endedMs: ms, ended: event, events });
  });
  const start = performance.now();
  bus.ask({ id: newId(), channel: "bench", sessionId, text });
  return promise;
}

/** The engine's own figures of a turn that was answered with one request. Throws for any other turn. */
export function usageOf({ ended, events }: Asked): Usage {
  const notes = events.flatMap((event) => (event.type === "state" ? (event.notes ?? []) : []));
  const requests = notes.filter((note) => note.startsWith("request ")).length;
  if (!ended.usage || ended.stopReason !== "completed" || requests !== 1)
    throw new Error(`The turn was to be one whole answer, and is ${ended.stopReason} after ${requests} requests.`);
  return ended.usage;
}

/** Sentences that a model has not read before, about 19 tokens each. `first` makes one text differ from another at once. */
export function sentences(count: number, first: number): string {
  const colours = ["blue", "green", "red", "yellow", "white"];
  const things = ["lamp", "chair", "boat", "window", "clock", "table", "bell"];
  const places = ["harbour", "market", "school", "station"];
  const sentence = (at: number) =>
    `Number ${at} on the list is a ${colours[at % 5]} ${things[at % 7]} from the old ${places[at % 4]}.`;
  return Array.from({ length: count }, (_, at) => sentence(first + at)).join(" ");
}
