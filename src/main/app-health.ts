import { statSync } from "node:fs";
import { join } from "node:path";
import { toAppError } from "../shared/errors.ts";
import type { HealthReport, Storage } from "../shared/health.ts";
import { type Caretaker, createCaretaker } from "./db/maintenance/caretaker.ts";
import { backupItem, engineItem, freeBytesOn, rescueItem, spaceItem, storageItem } from "./db/maintenance/items.ts";
import { lookItems } from "./db/maintenance/looks.ts";
import { createMaintenance } from "./db/maintenance/maintenance.ts";
import { readRescues, rescueMark } from "./db/maintenance/rescues.ts";
import { engineVersions } from "./db/maintenance/versions.ts";
import type { Health } from "./ipc/backend.ts";
import type { Log } from "./lib/log.ts";
import { readVersion } from "./lib/version.ts";

interface HealthOptions {
  readonly dataFolder: string;
  readonly storage: Storage;
  readonly store: { setting(key: string): string | undefined; setSetting(key: string, value: string): void };
  /** The last run let go of the database in order: what it wrote last need not be looked at. */
  readonly endedCleanly: boolean;
  /** Whether an answer is being made: nothing is looked after meanwhile. */
  readonly isBusy: () => boolean;
  readonly isEngineRunning: () => boolean;
  readonly tell: (report: HealthReport) => void;
  readonly log: Log;
  readonly now?: () => number;
  /** How often it is looked whether there is something to do, ms. */
  readonly everyMs?: number;
  /** How long after a start that follows an unclean end it is looked at what was written last, ms. */
  readonly afterCrashMs?: number;
}

export interface AppHealth extends Health {
  /** Ends what is being done. Safe to call twice. */
  close(): Promise<void>;
}

/** Soon after the start, but not in the way of it. */
const AFTER_CRASH_MS = 3_000;
const EVERY_MS = 30_000;
const SEEN = "rescues-seen";

/** A journal with something in it was left by a run that did not let go of its database. To be asked before it is opened. */
export const endedCleanly = (dataFolder: string): boolean => sizeOf(join(dataFolder, "lares.db-wal")) === 0;

/** 0 where there is no such file, or none that can be looked at. */
function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0; // what is wrong with the folder, the storage says
  }
}

/**
 * What is known of the state of the data, and who looks after it: after an unclean end, and in the quiet moments of each
 * day. Nothing of it holds up an answer.
 */
export function createHealth(options: HealthOptions): AppHealth {
  const { dataFolder, storage, isBusy, now = Date.now, log } = options;
  const maintenance = createMaintenance();
  const memory = memoryIn(options);
  const isNormal = storage.mode === "normal";
  const tell = () => options.tell(report());
  const caretaker = createCaretaker({ dataFolder, maintenance, memory, isNormal, isBusy, onChange: tell, now, log });
  const space = createSpace(dataFolder, tell);

  function report(): HealthReport {
    const { looks, backups, trouble, checking } = caretaker.state();
    const rescues = readRescues(dataFolder, Number(memory.get(SEEN) ?? 0));
    return {
      items: [
        storageItem(storage),
        ...lookItems(looks),
        backupItem(backups, trouble, now()),
        rescueItem(rescues, rescueMark(dataFolder).isSet()),
        spaceItem(space.free()),
        engineItem(options.isEngineRunning()),
      ],
      backups: backups.map(({ number: _, ...backup }) => backup),
      rescues,
      storage,
      checking,
      ...figuresOf(dataFolder),
      freeBytes: space.free() ?? 0,
      messages: looks[0]?.messages ?? 0,
    };
  }

  const rest = beginRounds(options, space.look, caretaker);
  return {
    storage: () => storage,
    report,
    check: () => void caretaker.look("full"),
    backUp: () => void caretaker.backUp("by-hand"),
    seen() {
      memory.set(SEEN, String(now()));
      tell();
    },
    diagnostics: () => diagnosticsOf(report()),
    async close() {
      rest();
      await maintenance.close();
    },
  };
}

/** Looks after the data from time to time, in moments that are quiet twice in a row. Returns how to end it. */
function beginRounds(
  { storage, endedCleanly, isBusy, everyMs = EVERY_MS, afterCrashMs = AFTER_CRASH_MS }: HealthOptions,
  lookAtSpace: () => void,
  caretaker: Caretaker,
): () => void {
  const isNormal = storage.mode === "normal";
  let wasQuiet = false;
  const round = async () => {
    lookAtSpace();
    const isQuiet = !isBusy();
    if (isNormal && isQuiet && wasQuiet) await caretaker.doDue();
    wasQuiet = isQuiet;
  };
  const timers = [setInterval(() => void round(), everyMs).unref()];
  if (!endedCleanly && isNormal) timers.push(setTimeout(() => void caretaker.look("quick"), afterCrashMs).unref());
  return () => {
    for (const timer of timers) clearTimeout(timer);
  };
}

/** The room on the disk. What changes is told when it means something else. */
function createSpace(dataFolder: string, onChange: () => void) {
  let freeBytes = freeBytesOn(dataFolder);
  return {
    free: () => freeBytes,
    look(): void {
      const before = spaceItem(freeBytes).state;
      freeBytes = freeBytesOn(dataFolder);
      if (spaceItem(freeBytes).state !== before) onChange();
    },
  };
}

/** Where nothing can be written it is known until the end of this run. */
function memoryIn({ store, storage, log }: HealthOptions) {
  const here = new Map<string, string>();
  return {
    get: (key: string): string | undefined =>
      here.get(key) ?? (storage.mode === "none" ? undefined : store.setting(key)),
    set(key: string, value: string): void {
      here.set(key, value);
      if (storage.mode !== "normal") return;
      try {
        store.setSetting(key, value);
      } catch (thrown) {
        log.warn("health not remembered", { code: toAppError(thrown).code });
      }
    },
  };
}

/** What can be said of a data folder without opening what is in it. */
export function figuresOf(dataFolder: string): Pick<HealthReport, "dataFolder" | "databaseBytes" | "versions"> {
  return {
    dataFolder,
    databaseBytes: sizeOf(join(dataFolder, "lares.db")),
    versions: { lares: readVersion(), ...engineVersions, node: process.version },
  };
}

/** Figures, codes and versions: not a word of what was said, no path and no name. */
function diagnosticsOf({ items, backups, rescues, storage, dataFolder: _, ...figures }: HealthReport): string {
  const about = {
    ...figures,
    system: `${process.platform} ${process.arch}`,
    storage: { mode: storage.mode, code: storage.error?.code },
    items: items.map(({ id, state, at, code, details }) => ({ id, state, at, code, details: details.length })),
    backups: backups.map(({ kind, at, bytes }) => ({ kind, at, bytes })),
    rescues: rescues.map(({ at, recovered, total }) => ({ at, recovered, total })),
  };
  return JSON.stringify(about, undefined, 2);
}
