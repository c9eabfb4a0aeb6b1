import type { Storage } from "../shared/health.ts";
import type { Cloud } from "./app-cloud.ts";
import { createAppDesk } from "./app-desk.ts";
import { createHealth } from "./app-health.ts";
import type { Homes } from "./app-homes.ts";
import type { AppSettings } from "./app-settings.ts";
import type { Bus } from "./bus/bus.ts";
import type { Store } from "./db/store.ts";
import type { Engine } from "./engine/keeper.ts";
import type { AppDesk } from "./ipc/desk.ts";
import type { Log } from "./lib/log.ts";
import { redact } from "./lib/redact.ts";
import { createModelDesk } from "./models/model-desk.ts";
import type { Door } from "./net/errand.ts";
import type { Vault } from "./vault/vault.ts";

interface FrontOptions {
  readonly dataFolder: string;
  readonly workspace: string;
  readonly log: Log;
  readonly store: Store;
  readonly storage: Storage;
  /** The last run let go of the data in order. */
  readonly isClean: boolean;
  readonly settings: AppSettings;
  readonly engine: Engine;
  readonly bus: Bus;
  readonly homes: Homes;
  readonly door: Door;
  readonly cloud: Cloud;
  readonly vault: Vault;
}

/** The desk, and what stands behind it only for those who look: the models as a person sees them, and the health of the data. */
export function createFront(options: FrontOptions): { desk: AppDesk; close(): Promise<void> } {
  const { dataFolder, workspace, log, store, storage, settings, engine, bus, homes, door, cloud, vault } = options;
  const models = createModelDesk({
    ...{ dataFolder, door, engine },
    settings: settings.read,
    changeSettings: settings.change,
    onFetch: (state) => desk.tell({ type: "fetch", fetch: state }),
    memory: memoryIn(store),
  });
  const health = createHealth({
    ...{ dataFolder, storage, store, log },
    endedCleanly: options.isClean,
    isBusy: homes.isBusy,
    isEngineRunning: () => engine.pid !== undefined,
    tell: (report) => desk.tell({ type: "health", report }),
  });
  const desk = createAppDesk({
    ...{ dataFolder, workspace, bus, homes, settings, log, health, models, cloud: cloud.desk },
    redact: (text) => redact(text, vault.secrets()),
  });
  return {
    desk,
    async close(): Promise<void> {
      desk.close();
      await Promise.all([models.close(), health.close()]);
    },
  };
}

/** What is remembered of models, beyond this run. */
export const memoryIn = (store: Store) => ({
  get: (key: string) => store.setting(key),
  set: (key: string, value: string) => store.setSetting(key, value),
});
