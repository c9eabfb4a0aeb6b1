import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { type AppError, toAppError, toWire } from "../shared/errors.ts";
import type { Storage } from "../shared/health.ts";
import { type Recovered, reconcile } from "./agent/recovery.ts";
import { endedCleanly } from "./app-health.ts";
import { openDataFolder } from "./db/data-folder.ts";
import { type LockOptions, lockDataFolder } from "./db/lock.ts";
import { createMaintenance } from "./db/maintenance/maintenance.ts";
import { backupsFolder } from "./db/migration-copy.ts";
import { openReadOnly } from "./db/open.ts";
import { finishRescue, isRescueWanted, rescuedDraft, setAside, unfinishedRescue } from "./db/set-aside.ts";
import { createStore, type Store, storeOn } from "./db/store.ts";
import type { Log } from "./lib/log.ts";

export interface OpenedStore {
  readonly store: Store;
  readonly storage: Storage;
  /** What the last run left unfinished. */
  readonly recovered: readonly Recovered[];
  /** The last run let go of the data in order. */
  readonly isClean: boolean;
  /** This process is the one that has the data folder. */
  readonly isHeld: boolean;
  /** Lets the next Lares have the data folder. Safe to call twice. */
  release(): void;
}

/** when-free: not while another Lares has the data folder. */
export type MustOpen = "always" | "when-free";

interface StoreOptions extends LockOptions {
  readonly dataFolder: string;
  readonly log: Log;
  /** A window has to open, whatever the data is like; a single question is better refused. */
  readonly mustOpen: MustOpen | undefined;
}

/**
 * Opens the data, with what the last run left unfinished brought to an end. A damaged database is set aside whole, and
 * its rows are brought over into a new one. With `mustOpen` what cannot be written is opened to be read, and where even
 * that fails there is a store in memory: the storage says so. Without it each of these throws its AppError.
 */
export async function openAppStore(options: StoreOptions): Promise<OpenedStore> {
  const { dataFolder, log, mustOpen } = options;
  try {
    return await openHeld(options);
  } catch (thrown) {
    const error = toAppError(thrown);
    if (!mustOpen || (mustOpen === "when-free" && error.code === "data-busy")) throw thrown;
    log.error("store not opened", { code: error.code });
    return {
      ...degraded(join(dataFolder, "lares.db"), error, log),
      recovered: [],
      isClean: true,
      isHeld: false,
      release: () => undefined,
    };
  }
}

/** What cannot be opened does not keep the lock. */
async function openHeld({ dataFolder, mustOpen, log, ...waiting }: StoreOptions): Promise<OpenedStore> {
  openDataFolder(dataFolder);
  const { release } = await lockDataFolder(dataFolder, waiting);
  try {
    const isClean = endedCleanly(dataFolder);
    const { store, recovered } = await openOrRescue(join(dataFolder, "lares.db"), log);
    const reason = store.readOnly;
    const held = { recovered, isClean, isHeld: true, release };
    if (!reason) return { store, storage: { mode: "normal" }, ...held };
    store.close();
    if (!mustOpen) throw reason;
    return { ...degraded(join(dataFolder, "lares.db"), reason, log), ...held };
  } catch (thrown) {
    release();
    throw thrown;
  }
}

async function openOrRescue(file: string, log: Log): Promise<Pick<OpenedStore, "store" | "recovered">> {
  const left = await unfinishedRescue(file);
  if (left) await bringOver(left, file, log);
  if (isRescueWanted(file)) await bringOver(await setAside(file), file, log);
  try {
    return reconciled(file);
  } catch (thrown) {
    if (toAppError(thrown).code !== "data-damaged") throw thrown;
    await bringOver(await setAside(file), file, log);
    return reconciled(file);
  }
}

function reconciled(file: string): Pick<OpenedStore, "store" | "recovered"> {
  const store = createStore(file);
  try {
    return { store, recovered: store.readOnly ? [] : reconcile(store, Date.now()) };
  } catch (thrown) {
    store.close();
    throw thrown;
  }
}

/** The rows of a damaged database, into a new one under its name. Where nothing reads, the new one is empty: the old one is whole all the same. */
async function bringOver(damaged: string, file: string, log: Log): Promise<void> {
  const at = Date.now();
  const note = { at, keptAs: dirname(damaged) };
  const target = rescuedDraft(file);
  rmSync(target, { force: true }); // of a rescue that was not noted: it is made again
  const maintenance = createMaintenance();
  try {
    const result = await maintenance.run("rescue", { damaged, backupsFolder: backupsFolder(file), target, now: at });
    log.warn("database rescued", { recovered: result.recovered, total: result.total });
    await finishRescue(damaged, file, { ...note, ...result });
  } catch (thrown) {
    log.error("database not rescued", { code: toAppError(thrown).code });
    rmSync(target, { force: true });
    createStore(target).close();
    await finishRescue(damaged, file, { ...note, recovered: 0, total: 0 });
  } finally {
    await maintenance.close();
  }
}

/** What can be read is read; where nothing can, what is said is kept in memory. */
function degraded(file: string, error: AppError, log: Log): Pick<OpenedStore, "store" | "storage"> {
  try {
    return { store: readable(file, error), storage: { mode: "read-only", error: toWire(error) } };
  } catch (thrown) {
    log.error("store not readable", { code: toAppError(thrown).code });
    return { store: createStore(":memory:"), storage: { mode: "none", error: toWire(error) } };
  }
}

/** It answers what a page asks first: the tables of a later Lares may be other ones. */
function readable(file: string, reason: AppError): Store {
  const store = storeOn(openReadOnly(file, reason));
  try {
    store.setting("settings");
    store.recoveries();
    const [chat] = store.chats();
    if (chat) store.turnViews(chat.id, { limit: 1 });
    return store;
  } catch (thrown) {
    store.close();
    throw thrown;
  }
}
