import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Desk } from "../shared/bridge.ts";
import type { Storage } from "../shared/health.ts";
import type { StreamEvent } from "../shared/stream.ts";
import type { Recovered } from "./agent/recovery.ts";
import { createTokenCounts } from "./agent/tokens.ts";
import type { Models } from "./agent/turn.ts";
import { createFront, memoryIn } from "./app-front.ts";
import { createHomes } from "./app-homes.ts";
import { createLeaving } from "./app-leaving.ts";
import { createModels, type ModelsOptions } from "./app-models.ts";
import { createSettings } from "./app-settings.ts";
import { type MustOpen, openAppStore } from "./app-store.ts";
import { type Bus, createBus } from "./bus/bus.ts";
import { type DeskSocket, openDeskSocket } from "./channels/desk-socket.ts";
import { createStore, type Store } from "./db/store.ts";
import { createEngine, type Engine } from "./engine/keeper.ts";
import { monotonicMs, newId } from "./lib/clock.ts";
import { createFileLog, type Log } from "./lib/log.ts";
import type { Resolve } from "./net/resolve.ts";
import { createBreakers } from "./providers/breaker.ts";
import type { Provider } from "./providers/provider.ts";
import { tools } from "./tools/index.ts";
import { createResultFiles } from "./tools/result-files.ts";
import type { Tool } from "./tools/tool.ts";
import { namedFiles } from "./tools/workspace-files.ts";
import { createVault } from "./vault/open-vault.ts";
import type { SafeStorage } from "./vault/safe-storage.ts";
import type { Vault } from "./vault/vault.ts";

export interface AppOptions extends Partial<Pick<ModelsOptions, "chosen" | "tryHeld" | "mayFetch">> {
  readonly dataFolder: string;
  /** The folder the model may look into; absent: one of its own, so that nothing of a person's is read until they choose. */
  readonly workspace?: string | undefined;
  /** The window opens whatever the data is like: damage is brought over, what cannot be written can be read. */
  readonly mustOpen?: MustOpen;
  /** How long to wait for another Lares that uses the data folder. */
  readonly waitMs?: number;
  readonly onWait?: () => void;
  /** Answers in place of the models of this computer. */
  readonly provider?: Provider;
  /** In place of the tools that there are. */
  readonly tools?: readonly Tool[];
  /** In place of the keyring of plain Node: what the window has. */
  readonly safeStorage?: SafeStorage;
  /** All addresses of a name; absent: as the system knows them. */
  readonly resolve?: Resolve;
}

export interface App {
  readonly bus: Bus;
  readonly store: Store;
  readonly engine: Engine;
  readonly log: Log;
  /** What windows and browser pages connect to. */
  readonly desk: Desk;
  /** The same desk, for others of the same person that come to the same data folder. */
  readonly door: DeskSocket;
  /** What the last run of the app left unfinished. */
  readonly recovered: readonly Recovered[];
  /** How what people say can be kept. */
  readonly storage: Storage;
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
  const { dataFolder, waitMs = 60_000, onWait, mustOpen, safeStorage } = options;
  const log = createFileLog(join(dataFolder, "logs"), Date.now, () => vault.secrets());
  const vault = createVault({ dataFolder, log, safeStorage });
  const opened = await openAppStore({ dataFolder, log, mustOpen, waitMs, ...(onWait && { onWait }) });
  const workspace = options.workspace ?? (await ownWorkspace(dataFolder));
  const app = assemble({ ...options, workspace, log, vault, ...opened });
  const door = await openDeskSocket({ desk: app.desk, dataFolder, isHeld: opened.isHeld, log, idle: app.idle });
  function close(): Promise<void> {
    door.close();
    return app.close();
  }
  return { ...app, door, close };
}

interface Parts extends AppOptions {
  readonly workspace: string;
  readonly log: ReturnType<typeof createFileLog>;
  readonly vault: Vault;
  readonly store: Store;
  readonly storage: Storage;
  /** The last run let go of the data in order. */
  readonly isClean: boolean;
  readonly recovered: readonly Recovered[];
  /** Lets the next Lares have the data folder. */
  release(): void;
}

function assemble(parts: Parts): Omit<App, "door"> {
  const { dataFolder, workspace, log, vault, store, storage, recovered } = parts;
  const stores = { kept: store, private: createStore(":memory:") };
  const tell = (event: StreamEvent) => front.desk.tell(event);
  const settings = createSettings({
    ...{ store, log },
    onChange(settings) {
      if (settings.localMode) door.shut();
      tell({ type: "settings", settings });
    },
  });
  const engine = createEngine({
    ...{ memory: memoryIn(store), log },
    idleMinutes: () => settings.read().unloadMinutes,
    ...(storage.mode === "normal" && { states: { folder: join(dataFolder, "state") } }),
    onState: (engine) => tell({ type: "engine", engine }),
  });
  const bus = createBus(log);
  const currentWorkspace = () => settings.read().workspace ?? workspace;
  const { door, cloud } = createLeaving({
    ...{ stores, vault, tell, log },
    resolve: parts.resolve,
    settings: settings.read,
    workspace: currentWorkspace,
  });
  const homes = createHomes(
    stores,
    {
      ...{ ...surroundings, log },
      tools: parts.tools ?? tools,
      settings: settings.read,
      workspace: currentWorkspace,
      emit: bus.tell,
      tokens: createTokenCounts(),
      breakers: createBreakers(monotonicMs),
      models: modelsOf(parts, { dataFolder, engine, cloud, door, log, settings: settings.read }),
    },
    { results: createResultFiles(join(dataFolder, "results")), forgetChat: (id) => engine.forgetChat(id) },
  );
  bus.serve({
    accept(message) {
      const accepted = homes.loopOf(message.sessionId).accept(message);
      front.desk.born(message.sessionId); // in time: no turn begins before this call is over
      return accepted;
    },
    stop: (chatId) => homes.loopOf(chatId).stop(chatId),
  });
  const front = createFront({ ...parts, settings, engine, bus, homes, door, cloud });

  async function close(): Promise<void> {
    await front.close();
    await homes.endTurns();
    await engine.close();
    homes.close();
    parts.release();
    await log.flush();
  }
  let closing: Promise<void> | undefined;
  const resume = (chatId: string) => homes.loopOf(chatId).wake(chatId);
  const goOn = () => settings.read().continueAfterCrash && homes.goOn(recovered);
  const ends = { idle: homes.idle, close: () => (closing ??= close()) };
  return { bus, store, storage, engine, log, desk: front.desk, recovered, resume, goOn: () => void goOn(), ...ends };
}

/** Without it the tools say that there is no folder. */
async function ownWorkspace(dataFolder: string): Promise<string> {
  const workspace = join(dataFolder, "workspace");
  await mkdir(workspace, { recursive: true }).catch(() => undefined);
  return workspace;
}

/** What every turn has, whatever the options. */
const surroundings = {
  namedFiles,
  newId,
  monotonicMs,
  random: Math.random,
  now: Date.now,
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
};

function modelsOf(
  options: AppOptions,
  parts: Pick<ModelsOptions, "dataFolder" | "engine" | "cloud" | "door" | "log" | "settings">,
): Models {
  const { provider, chosen, tryHeld = false, mayFetch = async () => false } = options;
  if (provider) return only(provider);
  return createModels({ ...parts, chosen, tryHeld, mayFetch });
}

const only = (provider: Provider): Models => ({
  provider: async () => provider,
  fallbacks: () => [],
  list: async () => [],
  check: async (name) => name,
});
