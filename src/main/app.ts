import { join } from "node:path";
import { z } from "zod";
import { Settings } from "../shared/settings.ts";
import { createLoop } from "./agent/loop.ts";
import { type Recovered, reconcile } from "./agent/recovery.ts";
import { createRowCache } from "./agent/row-cache.ts";
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
  const { store, recovered } = openStore(dataFolder, lock);
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
    rows: createRowCache(store),
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

/** The store, with what the last run left unfinished brought to an end. What cannot be opened does not keep the lock. */
function openStore(dataFolder: string, lock: { release(): void }) {
  try {
    const store = createStore(join(dataFolder, "lares.db"));
    return { store, recovered: reconcile(store, Date.now()) };
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}

/** What was stored, over the defaults. What does not read as settings is left aside: the app must always start. */
function readSettings(store: Store): Settings {
  const stored = StoredSettings.safeParse(store.setting("settings") ?? "{}");
  return stored.success ? stored.data : Settings.parse({});
}

const StoredSettings = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch (thrown) {
      context.addIssue({ code: "custom", message: String(thrown) });
      return z.NEVER;
    }
  })
  .pipe(Settings);

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
