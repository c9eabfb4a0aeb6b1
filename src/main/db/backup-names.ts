import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Backup } from "../../shared/health.ts";

/** Of the daily ones; every other kind keeps its newest. */
const DAILIES = 3;
const WEEKLIES = 2;
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

/** A backup and its number, which only grows: the order of backups is no matter of a clock. */
export interface NumberedBackup extends Backup {
  readonly number: number;
}

const patterns = {
  own: /^(daily|by-hand)-(\d{6})-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/,
  beforeMigration: /^before-migration-.*\.db$/,
};

/** The name of the next backup of this kind. */
export function nameFor(kind: "daily" | "by-hand", taken: readonly NumberedBackup[], now: number): string {
  const number = 1 + Math.max(0, ...taken.map((backup) => backup.number));
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  return `${kind}-${String(number).padStart(6, "0")}-${time}.db`;
}

/** The backups in a folder, newest first; none where there is no folder. What is not named as one is none. */
export function listBackups(folder: string): NumberedBackup[] {
  const found = namesIn(folder).flatMap((name) => backupOf(folder, name) ?? []);
  found.sort((one, other) => other.number - one.number || other.at - one.at || (one.name < other.name ? 1 : -1));
  const kept = dailiesKept(found);
  return found.map((backup) => (kept.weekly.has(backup) ? { ...backup, kind: "weekly" } : backup));
}

/** What is more than the three newest days, the first of two weeks before, and the newest of every other kind. */
export function surplus(backups: readonly NumberedBackup[]): NumberedBackup[] {
  const { recent, weekly } = dailiesKept(backups);
  const others = (["by-hand", "before-migration"] as const).map((kind) => backups.find((one) => one.kind === kind));
  return backups.filter((one) => !recent.has(one) && !weekly.has(one) && !others.includes(one));
}

/** Of each of the newest weeks before the last days, the first backup: it stays the same while the days go on. */
function dailiesKept(backups: readonly NumberedBackup[]) {
  const daily = backups.filter(({ kind }) => kind === "daily" || kind === "weekly");
  const weeks = new Map<number, NumberedBackup>();
  for (const backup of daily.slice(DAILIES)) {
    const week = Math.floor(backup.at / WEEK_MS);
    if (weeks.has(week) || weeks.size < WEEKLIES) weeks.set(week, backup);
  }
  return { recent: new Set(daily.slice(0, DAILIES)), weekly: new Set(weeks.values()) };
}

/** Whether there is a daily one of this day, as the person counts days. */
export function hasDaily(backups: readonly Backup[], now: number): boolean {
  const [newest] = backups.filter(({ kind }) => kind === "daily" || kind === "weekly");
  return newest !== undefined && new Date(newest.at).toDateString() === new Date(now).toDateString();
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // not there yet; where it cannot be read, none can be made either, and that is told
  }
}

function backupOf(folder: string, name: string): NumberedBackup | undefined {
  const own = patterns.own.exec(name);
  if (!own && !patterns.beforeMigration.test(name)) return undefined;
  const found = statSync(join(folder, name), { throwIfNoEntry: false });
  if (!found?.isFile()) return undefined;
  const [, kind, number, ...time] = own ?? [];
  if (!own) return { name, kind: "before-migration", number: 0, at: Math.floor(found.mtimeMs), bytes: found.size };
  const [year, month, day, hour, minute, second] = time.map(Number);
  const at = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
  return { name, kind: kind as "daily" | "by-hand", number: Number(number), at, bytes: found.size };
}
