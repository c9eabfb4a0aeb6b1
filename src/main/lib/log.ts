import { appendFile, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { redact } from "./redact.ts";

/** Fields are ids, names, codes, sizes and times. What people say never goes in. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

const silence = (): void => undefined;

export const silentLog: Log = { info: silence, warn: silence, error: silence };

export interface FileLog extends Log {
  /** Resolves when every line logged so far is on disk, or was given up because the disk refused. Never rejects. */
  flush(): Promise<void>;
}

const daysKept = 7;
const logName = /^\d{4}-\d\d-\d\d\.jsonl$/;

/**
 * Writes one JSON line an event to `folder/2026-11-30.jsonl`, a file for each day (UTC) that `now` (milliseconds) names;
 * the seven newest are kept. Nothing is thrown and nobody waits: lines that the disk refuses are counted,
 * and the next line that is written is preceded by one that says how many were lost. No field holds one of the
 * `secrets`, or what looks like a key.
 */
export function createFileLog(folder: string, now: () => number, secrets: () => readonly string[] = () => []): FileLog {
  let waiting = new Map<string, string>(); // lines to be written, by the file they go to
  let writing: Promise<void> | undefined;
  let openedDay = "";
  let lost = 0;

  const write = async (day: string, lines: string): Promise<void> => {
    if (day !== openedDay) {
      await openDay(folder, day);
      openedDay = day;
    }
    const notice = lost > 0 ? line(now(), "warn", "log.lost", { lines: lost }) : "";
    await appendFile(join(folder, `${day}.jsonl`), notice + lines, { mode: 0o600 });
    lost = 0;
  };

  const drain = async (): Promise<void> => {
    while (waiting.size > 0) {
      const batch = waiting;
      waiting = new Map();
      for (const [day, lines] of batch) {
        await write(day, lines).catch(() => {
          lost += lines.split("\n").length - 1;
          openedDay = ""; // the folder may have gone: look again next time
        });
      }
    }
    writing = undefined;
  };

  const add = (level: string, event: string, fields: LogFields | undefined): void => {
    const time = now();
    const day = new Date(time).toISOString().slice(0, 10);
    waiting.set(day, (waiting.get(day) ?? "") + line(time, level, event, fields && clean(fields, secrets())));
    writing ??= Promise.resolve().then(drain);
  };

  return {
    info: (event, fields) => add("info", event, fields),
    warn: (event, fields) => add("warn", event, fields),
    error: (event, fields) => add("error", event, fields),
    flush: async () => writing,
  };
}

/** Makes the folder, and room in it: with the day's own file there are at most `daysKept`. */
async function openDay(folder: string, day: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const others = (await readdir(folder)).filter((name) => logName.test(name) && name !== `${day}.jsonl`).sort();
  for (const name of others.slice(0, 1 - daysKept)) await rm(join(folder, name), { force: true });
}

const clean = (fields: LogFields, secrets: readonly string[]): LogFields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === "string" ? redact(value, secrets) : value]),
  );

/** The fixed names come last, so that no field can pretend to be one of them. */
function line(time: number, level: string, event: string, fields: LogFields | undefined): string {
  return `${JSON.stringify({ ...fields, time: new Date(time).toISOString(), level, event })}\n`;
}
