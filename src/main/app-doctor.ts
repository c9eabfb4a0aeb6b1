import { statSync } from "node:fs";
import { join } from "node:path";
import { AppError, toAppError } from "../shared/errors.ts";
import type { HealthReport, Storage } from "../shared/health.ts";
import { figuresOf } from "./app-health.ts";
import { listBackups } from "./db/backup-names.ts";
import { inspect } from "./db/inspect.ts";
import { backupItem, freeBytesOn, rescueItem, spaceItem, storageItem } from "./db/maintenance/items.ts";
import { type Depth, lookAt } from "./db/maintenance/jobs.ts";
import { addLook, failedLook, LOOKS, type Look, lookItems, parseLooks, toLook } from "./db/maintenance/looks.ts";
import { readRescues, rescueMark } from "./db/maintenance/rescues.ts";
import { setting } from "./db/settings.ts";

interface ExamineOptions {
  /** Looks at everything now, and not only at what a crash can have touched. */
  readonly full?: boolean;
  readonly now?: number;
}

/**
 * Looks at a data folder from outside, also while a Lares uses it, and says as well what that Lares found: nothing in it
 * is changed. A full look takes seconds for 100,000 messages, and compares search in a copy that is removed again. Never
 * throws: what hinders it is in the report.
 */
export function examine(dataFolder: string, { full = false, now = Date.now() }: ExamineOptions = {}): HealthReport {
  const file = join(dataFolder, "lares.db");
  const look = lookFrom(file, full ? "full" : "quick", now);
  const { error } = look;
  const storage: Storage = error ? { mode: "none", error } : { mode: "normal" };
  const backups = listBackups(join(dataFolder, "backups"));
  const rescues = readRescues(dataFolder, now);
  const freeBytes = freeBytesOn(dataFolder);
  return {
    items: [
      storageItem(storage),
      ...lookItems(error ? [] : addLook(remembered(file), look)),
      backupItem(backups, undefined, now),
      rescueItem(rescues, rescueMark(dataFolder).isSet()),
      spaceItem(freeBytes),
    ],
    backups: backups.map(({ number: _, ...backup }) => backup),
    rescues,
    storage,
    checking: false,
    ...figuresOf(dataFolder),
    freeBytes: freeBytes ?? 0,
    messages: look.messages,
  };
}

function lookFrom(file: string, depth: Depth, at: number): Look {
  try {
    if (!statSync(file, { throwIfNoEntry: false })) throw noData(file);
    return toLook(lookAt({ file, depth }), at);
  } catch (thrown) {
    return failedLook(toAppError(thrown), depth, at);
  }
}

/** What the Lares of this folder found itself. */
function remembered(file: string): Look[] {
  try {
    return inspect(file, (connection) => parseLooks(setting(connection, LOOKS)));
  } catch {
    return []; // a damaged table of settings is found by the look itself
  }
}

const noData = (file: string) =>
  new AppError("data-folder", `${file} is not there: Lares was never started with this data folder.`);
