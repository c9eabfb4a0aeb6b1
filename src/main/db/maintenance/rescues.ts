import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Rescue } from "../../../shared/health.ts";
import { rescueNotes } from "../set-aside.ts";

/** What was ever brought over from damaged databases, oldest first. Seen: until then (epoch ms) the person has read of it. */
export function readRescues(dataFolder: string, seenUntil: number): Rescue[] {
  return notesIn(dataFolder).flatMap((note) => {
    const at = Object(parse(note)).at;
    return Rescue.safeParse({ ...Object(parse(note)), seen: at <= seenUntil }).data ?? [];
  });
}

function notesIn(dataFolder: string): string[] {
  try {
    return rescueNotes(join(dataFolder, "lares.db"));
  } catch {
    return []; // what is wrong with the folder, the storage says
  }
}

export const wasRescuedAfter = (dataFolder: string, time: number): boolean =>
  readRescues(dataFolder, 0).some(({ at }) => at > time);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // half written: what it was about is in its folder all the same
  }
}

/** The mark by which the next start knows that the database reads, but is damaged, and has to be rescued. */
export function rescueMark(dataFolder: string) {
  const path = join(dataFolder, "rescue-wanted");
  return {
    isSet: (): boolean => existsSync(path),
    set(wanted: boolean): void {
      if (wanted) writeFileSync(path, "", { mode: 0o600 });
      else rmSync(path, { force: true });
    },
  };
}
