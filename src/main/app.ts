import { join } from "node:path";
import { Settings } from "../shared/settings.ts";
import { createLoop } from "./agent/loop.ts";
import { type Recovered, reconcile } from "./agent/recovery.ts";
import { createTokenCounts } from "./agent/tokens.ts";
import type { Models } from "./agent/turn.ts";
import { createModels, type ModelsOptions } from "./app-models.ts";
import { type Bus, createBus } from "./bus/bus.ts";
import { openDataFolder } from "./db/data-folder.ts";
import { lockDataFolder } from "./db/lock.ts";
import { createStore, type Store } from "./db/store.ts";
import { createEngine, type Engine } from "./engine/keeper.ts";
import { monotonicMs, newId } from "./lib/clock.ts";
import { createFileLog } from "./lib/log.ts";
import type { Provider } from "./providers/provider.ts";
import { tools } from "./tools/index.ts";
import { namedFiles } from "./tools/workspace-files.ts";

export interface AppOptions extends Partial<Pick<ModelsOptions, "chosen" | "tryHeld" | "mayFetch">> {
  readonly dataFolder: string;
  /** The folder the model may look into. */
  readonly workspace: string;
  /** How long to wait for another Lares that uses the data folder. */
  readonly waitMs?: number;
  readonly onWait?: () => void;
  /** Answers in place of the models of this computer. */
  readonly provider?: Provider;
}

export interface App {
  readonly bus: Bus;
  readonly store: Store;
  readonly engine: Engine;
  /** What the last run of the app left unfinished. */
  readonly recovered: readonly Recovered[];
  /** Lets a session go on with messages that were accepted before. */
  resume(sessionId: string): void;
  /** Resolves when nothing runs. */
  idle(): Promise<void>;
  /** Stops what runs, keeps what it produced, and lets go of everything. Safe to call twice. */
  close(): Promise<void>;
}

/** Builds the whole assistant; every entry point calls this, and there is no other wiring. Throws AppError when it cannot start. */
export async function createApp(options: AppOptions): Promise<App> {
  const { dataFolder, workspace, waitMs = 60_000, onWait } = options;
  await openDataFolder(dataFolder);
  const lock = await lockDataFolder(dataFolder, { waitMs, ...(onWait && { onWait }) });
  const log = createFileLog(join(dataFolder, "logs"), Date.now);
  const store = openOrRelease(dataFolder, lock);
  const recovered = reconcile(store, Date.now());
  const settings = () => readSettings(store);
  const memory = {
    get: (key: string) => store.setting(key),
    set: (key: string, value: string) => store.setSetting(key, value),
  };
  const engine = createEngine({ memory, log, idleMinutes: () => settings().unloadMinutes });
  const bus = createBus(log);
  const loop = createLoop({
    store,
    log,
    settings,
    workspace,
    tools,
    namedFiles,
    newId,
    monotonicMs,
    now: Date.now,
    emit: bus.tell,
    tokens: createTokenCounts(),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    models: options.provider ? only(options.provider) : modelsOf(options, { dataFolder, engine, log, settings }),
  });
  bus.serve(loop);

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    await loop.close();
    await engine.close();
    store.close();
    lock.release();
    await log.flush();
  }
  return { bus, store, engine, recovered, resume: loop.wake, idle: loop.idle, close: () => (closing ??= close()) };
}

function openOrRelease(dataFolder: string, lock: { release(): void }): Store {
  try {
    return createStore(join(dataFolder, "lares.db"));
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}

/** What was stored, over the defaults. What does not read as settings is left aside: the app must always start. */
function readSettings(store: Store): Settings {
  const parsed = Settings.safeParse(JSON.parse(store.setting("settings") ?? "{}"));
  return parsed.success ? parsed.data : Settings.parse({});
}

function modelsOf(
  options: AppOptions,
  parts: Pick<ModelsOptions, "dataFolder" | "engine" | "log" | "settings">,
): Models {
  const { chosen, tryHeld = false, mayFetch = async () => false } = options;
  return createModels({ ...parts, chosen, tryHeld, mayFetch });
}

const only = (provider: Provider): Models => ({
  provider: async () => provider,
  list: async () => [],
  check: async () => undefined,
});
