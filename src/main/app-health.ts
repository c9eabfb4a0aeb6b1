import { statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { HealthItem, HealthReport, Storage } from "../shared/health.ts";
import type { Health } from "./ipc/backend.ts";
import { readVersion } from "./lib/version.ts";

interface HealthOptions {
  readonly dataFolder: string;
  readonly storage: Storage;
}

/** Below so much room on the disk it is time to free some; below the second, writing is about to fail. Bytes. */
const LITTLE_SPACE = 200e6;
const NO_SPACE = 50e6;

/** What is known of the state of the data. */
export function createHealth({ dataFolder, storage }: HealthOptions): Health {
  function report(): HealthReport {
    const freeBytes = freeOn(dataFolder);
    return {
      items: [storageItem(storage), spaceItem(freeBytes)],
      backups: [],
      rescues: [],
      storage,
      checking: false,
      dataFolder,
      databaseBytes: statSync(join(dataFolder, "lares.db"), { throwIfNoEntry: false })?.size ?? 0,
      freeBytes,
      messages: 0,
      versions: { lares: readVersion(), schema: 3, sqlite: "", node: process.version },
    };
  }

  return {
    storage: () => storage,
    report,
    check: () => undefined,
    backUp: () => undefined,
    seen: () => undefined,
    diagnostics: () => JSON.stringify(report(), undefined, 2),
  };
}

const storageItem = ({ mode, error }: Storage): HealthItem => ({
  id: "storage",
  state: mode === "normal" ? "good" : "bad",
  ...(error && { code: error.code }),
  details: error ? [error.message] : [],
});

function spaceItem(freeBytes: number): HealthItem {
  const state = freeBytes < NO_SPACE ? "bad" : freeBytes < LITTLE_SPACE ? "attention" : "good";
  return { id: "space", state, details: [`${Math.round(freeBytes / 1e6)} MB are free.`] };
}

function freeOn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
