import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Desk } from "../shared/bridge.ts";
import { type Recovered, reconcile } from "./agent/recovery.ts";
import { createTokenCounts } from "./agent/tokens.ts";
import type { Models } from "./agent/turn.ts";
import { createAppDesk } from "./app-desk.ts";
import { createHealth } from "./app-health.ts";
import { createHomes } from "./app-homes.ts";
import { createModels, type ModelsOptions } from "./app-models.ts";
import { createSettings } from "./app-settings.ts";
import { type Bus, createBus } from "./bus/bus.ts";
import { openDataFolder } from "./db/data-folder.ts";
import { lockDataFolder } from "./db/lock.ts";
import { createStore, type Store } from "./db/store.ts";
import { createEngine, type Engine } from "./engine/keeper.ts";
import { monotonicMs, newId } from "./lib/clock.ts";
import { createFileLog, type Log } from "./lib/log.ts";
import { createModelDesk } from "./models/model-desk.ts";
import type { Provider } from "./providers/provider.ts";
import { tools } from "./tools/index.ts";
import { namedFiles } from "./tools/workspace-files.ts";

export interface AppOptions extends Partial<Pick<ModelsOptions, "chosen" | "tryHeld" | "mayFetch">> {
  readonly dataFolder: string;
  /** The folder the model may look into; absent: one of its own, so that nothing of a person's is read until they choose. */
  readonly workspace?: string | undefined;
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
  readonly log: Log;
  /** What windows and browser pages connect to. */
  readonly desk: Desk;
  /** What the last run of the app left unfinished. */
  readonly recovered: readonly Recovered[];
  /** Lets a session go on with messages that were accepted before. */
  resume(sessionId: string): void;
  /** Goes on with interrupted turns, where the person has said in the settings that they may. For those who stay open. */
  goOn(): void;
  /** Resolves when nothing runs. */
  idle(): Promise<void>;
  /** Stops what runs, keeps what it produced, and lets go of everything. Safe to call twice. */
  close(): Promise<void>;
}

/** Builds the whole assistant; every entry point calls this, and there is no other wiring. Throws AppError when it cannot start. */
export async function createApp(options: AppOptions): Promise<App> {
  const { dataFolder, waitMs = 60_000, onWait } = options;
  await openDataFolder(dataFolder);
  const lock = await lockDataFolder(dataFolder, { waitMs, ...(onWait && { onWait }) });
  const workspace = options.workspace ?? (await ownWorkspace(dataFolder));
  const log = createFileLog(join(dataFolder, "logs"), Date.now);
  return assemble({ ...options, workspace, lock, log, ...openStore(dataFolder, lock) });
}

interface Parts extends AppOptions {
  readonly workspace: string;
  readonly lock: { release(): void };
  readonly log: ReturnType<typeof createFileLog>;
  readonly store: Store;
  readonly recovered: readonly Recovered[];
}

function assemble(parts: Parts): App {
  const { dataFolder, workspace, lock, log, store, recovered } = parts;
  const settings = createSettings({ store, onChange: (settings) => desk.tell({ type: "settings", settings }) });
  const engine = createEngine({ memory: memoryIn(store), log, idleMinutes: () => settings.read().unloadMinutes });
  const bus = createBus(log);
  const homes = createHomes(
    { kept: store, private: createStore(":memory:") },
    {
      ...surroundings,
      log,
      settings: settings.read,
      workspace: () => settings.read().workspace ?? workspace,
      emit: bus.tell,
      tokens: createTokenCounts(),
      models: modelsOf(parts, { dataFolder, engine, log, settings: settings.read }),
    },
  );
  bus.serve({
    accept: (message) => homes.loopOf(message.sessionId).accept(message),
    stop: (chatId) => homes.loopOf(chatId).stop(chatId),
  });
  const models = createModelDesk({
    dataFolder,
    settings: settings.read,
    changeSettings: settings.change,
    onFetch: (state) => desk.tell({ type: "fetch", fetch: state }),
    release: (path) => engine.release(path),
  });
  const health = createHealth({ dataFolder, storage: { mode: "normal" } });
  const desk = createAppDesk({ dataFolder, workspace, bus, homes, settings, log, health, models });

  async function close(): Promise<void> {
    desk.close();
    await models.close();
    await homes.endTurns();
    await engine.close();
    homes.close();
    lock.release();
    await log.flush();
  }
  let closing: Promise<void> | undefined;
  const resume = (chatId: string) => homes.loopOf(chatId).wake(chatId);
  const goOn = () => settings.read().continueAfterCrash && homes.goOn(recovered);
  const ends = { idle: homes.idle, close: () => (closing ??= close()) };
  return { bus, store, engine, log, desk, recovered, resume, goOn: () => void goOn(), ...ends };
}

/** What the engine remembers of models. */
const memoryIn = (store: Store) => ({
  get: (key: string) => store.setting(key),
  set: (key: string, value: string) => store.setSetting(key, value),
});

/** Without it the tools say that there is no folder. */
async function ownWorkspace(dataFolder: string): Promise<string> {
  const workspace = join(dataFolder, "workspace");
  await mkdir(workspace, { recursive: true }).catch(() => undefined);
  return workspace;
}

/** What every turn has, whatever the options. */
const surroundings = {
  tools,
  namedFiles,
  newId,
  monotonicMs,
  now: Date.now,
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
};

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

function modelsOf(
  options: AppOptions,
  parts: Pick<ModelsOptions, "dataFolder" | "engine" | "log" | "settings">,
): Models {
  const { provider, chosen, tryHeld = false, mayFetch = async () => false } = options;
  if (provider) return only(provider);
  return createModels({ ...parts, chosen, tryHeld, mayFetch });
}

const only = (provider: Provider): Models => ({
  provider: async () => provider,
  list: async () => [],
  check: async () => undefined,
});
