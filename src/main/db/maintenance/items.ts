import { statfsSync } from "node:fs";
import type { WireError } from "../../../shared/errors.ts";
import type { Backup, HealthItem, Rescue, Storage } from "../../../shared/health.ts";

/** Below so much room on the disk it is time to free some; below the second, writing is about to fail. Bytes. */
const LITTLE_SPACE = 200e6;
const NO_SPACE = 50e6;

/** A backup that is older is no help any more. */
const OLD_MS = 3 * 86_400_000;

export function storageItem({ mode, error }: Storage): HealthItem {
  const details = error ? [error.message] : ["What is said is on the disk before it is answered."];
  return { id: "storage", state: mode === "normal" ? "good" : "bad", ...(error && { code: error.code }), details };
}

const DELETED = "Chats that you delete stay in the backups made before, until newer ones take their place.";

/** `trouble`: why the last one could not be made. */
export function backupItem(backups: readonly Backup[], trouble: WireError | undefined, now: number): HealthItem {
  const [newest] = backups;
  const kept = newest ? [DELETED] : [];
  const at = newest && { at: newest.at };
  if (trouble)
    return { id: "backup", state: "attention", ...at, code: trouble.code, details: [trouble.message, ...kept] };
  if (!newest) return { id: "backup", state: "unknown", details: ["The first one is made in a quiet moment."] };
  const days = `${backups.length} ${backups.length === 1 ? "is" : "are"} kept, each looked through when it was made.`;
  if (now - newest.at <= OLD_MS) return { id: "backup", state: "good", ...at, details: [days, ...kept] };
  const old = "The newest one is more than three days old.";
  return { id: "backup", state: "attention", ...at, details: [old, days, ...kept] };
}

export function rescueItem(rescues: readonly Rescue[], isWanted: boolean): HealthItem {
  if (isWanted) {
    const details = ["At the next start the damaged file is set aside whole, and what can be read is brought over."];
    return { id: "rescue", state: "attention", details };
  }
  const newest = rescues.at(-1);
  if (!newest) return { id: "rescue", state: "good", details: ["There was never anything to be rescued."] };
  const { at, recovered, total, keptAs, seen, base } = newest;
  const details = [
    `${recovered} of ${total} messages were brought over from a damaged file.`,
    ...(base
      ? [
          `What was lost in it was taken from the backup ${base}, where that had it: what was deleted since may be back.`,
        ]
      : []),
    `The damaged file is kept whole: ${keptAs}`,
  ];
  return { id: "rescue", state: seen ? "good" : "attention", at, details };
}

/** Undefined: nobody can tell. */
export function spaceItem(freeBytes: number | undefined): HealthItem {
  if (freeBytes === undefined) return { id: "space", state: "unknown", details: [] };
  const state = freeBytes < NO_SPACE ? "bad" : freeBytes < LITTLE_SPACE ? "attention" : "good";
  const code = state === "bad" ? ({ code: "disk-full" } as const) : undefined;
  return { id: "space", state, ...code, details: [`${Math.round(freeBytes / 1e6)} MB are free.`] };
}

export function engineItem(isRunning: boolean): HealthItem {
  const details = [isRunning ? "The local engine is running." : "The local engine starts with the first question."];
  return { id: "engine", state: "good", details };
}

/** Bytes that may still be written where `folder` is. Undefined: there is no such folder. */
export function freeBytesOn(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined; // what it is that is wrong with it, the storage says
  }
}
