import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { AppError } from "../../shared/errors.ts";
import { storeError, toStoreError } from "./store-errors.ts";

export interface DataFolderLock {
  /** Lets the next one in. Safe to call twice. */
  release(): void;
}

export interface LockOptions {
  /** How long to wait for whoever holds the folder. */
  readonly waitMs: number;
  /** Called once when there is somebody to wait for. */
  readonly onWait?: () => void;
}

const POLL_MS = 100;

/**
 * Makes this process the only one that uses a data folder. The lock is SQLite's own, on a small file of its own: the
 * system drops it with the process, however that dies, so it is never stale. (Nothing else may open and close that
 * file in this process: that would drop the lock as well.) Throws data-busy after `waitMs`.
 */
export async function lockDataFolder(folder: string, { waitMs, onWait }: LockOptions): Promise<DataFolderLock> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw storeError("data-folder", folder);
  const deadline = performance.now() + waitMs;
  let lock = tryLock(folder);
  if (!lock) onWait?.();
  while (!lock && performance.now() < deadline) {
    await sleep(Math.min(POLL_MS, Math.max(1, deadline - performance.now())));
    lock = tryLock(folder);
  }
  if (lock) return lock;
  throw new AppError("data-busy", `Another Lares is using ${folder}. Close it, or use another data folder.`);
}

function tryLock(folder: string): DataFolderLock | undefined {
  const file = join(folder, "lock");
  let sqlite: Sqlite.Database | undefined;
  try {
    sqlite = new Sqlite(file, { timeout: 0 });
    sqlite.exec("BEGIN EXCLUSIVE"); // and nothing is ever written
    const held = sqlite;
    return { release: () => void held.close() };
  } catch (thrown) {
    sqlite?.close();
    const error = toStoreError(file, thrown);
    if (error instanceof AppError && error.code === "data-busy") return undefined;
    throw error;
  }
}
