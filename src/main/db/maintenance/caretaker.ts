import { join } from "node:path";
import { type AppError, toAppError, toWire, type WireError } from "../../../shared/errors.ts";
import type { Log } from "../../lib/log.ts";
import { hasDaily, listBackups, type NumberedBackup } from "../backup-names.ts";
import type { Depth } from "./jobs.ts";
import {
  addLook,
  failedLook,
  LOOKS,
  type Look,
  needsRebuild,
  needsRescue,
  parseLooks,
  storedLooks,
  toLook,
} from "./looks.ts";
import type { Maintenance } from "./maintenance.ts";
import { rescueMark, wasRescuedAfter } from "./rescues.ts";

interface CaretakerOptions {
  readonly dataFolder: string;
  readonly maintenance: Maintenance;
  /** Settings that outlive the run. */
  readonly memory: { get(key: string): string | undefined; set(key: string, value: string): void };
  /** Whether the database may be written. */
  readonly isNormal: boolean;
  /** Whether an answer is being made: nothing is looked after meanwhile. */
  readonly isBusy: () => boolean;
  /** What is known has changed. */
  readonly onChange: () => void;
  readonly now: () => number;
  readonly log: Log;
}

const DAY_MS = 86_400_000;

const keys = { looks: LOOKS, backup: "health.backup" } as const;

type Exclusively = ReturnType<typeof oneAtATime>;

/** Looks at the database, makes backups, makes search anew, and remembers how it went. What takes long is done elsewhere. */
export function createCaretaker(options: CaretakerOptions) {
  const { dataFolder, memory, now, log } = options;
  const exclusively = oneAtATime(log);
  const looks = createLooks(options, exclusively);
  const backups = createBackups(options, exclusively);
  const mark = rescueMark(dataFolder);

  /** What each day asks for: first a backup, then a look at everything. A try that failed is made again the next day. */
  async function doDue(): Promise<void> {
    const today = new Date(now()).toDateString();
    if (!hasDaily(backups.state.backups, now()) && memory.get(keys.backup) !== today) return backups.backUp("daily");
    const done = looks.state.looks.find(({ depth, at }) => depth === "full" && new Date(at).toDateString() === today);
    if (!done || (needsRebuild(done) && !mark.isSet())) await looks.look("full");
  }

  const state = () => ({ ...looks.state, ...backups.state });
  return { state, look: looks.look, backUp: backups.backUp, doDue };
}

export type Caretaker = ReturnType<typeof createCaretaker>;

function createLooks(options: CaretakerOptions, exclusively: Exclusively) {
  const { dataFolder, maintenance, memory, isNormal, isBusy, onChange, now, log } = options;
  const file = join(dataFolder, "lares.db");
  const mark = rescueMark(dataFolder);
  const state: { looks: readonly Look[]; checking: boolean } = {
    looks: parseLooks(memory.get(keys.looks)),
    checking: false,
  };

  const look = (depth: Depth) =>
    exclusively("check", async () => {
      state.checking = true;
      onChange();
      try {
        const found = await lookOnce(depth);
        if (needsRebuild(found) && isNormal && !isBusy()) await rebuild();
      } finally {
        state.checking = false;
        onChange();
      }
    });

  async function lookOnce(depth: Depth): Promise<Look> {
    const found = await maintenance.run("lookAt", { file, depth }).then(
      (findings) => toLook(findings, now()),
      (thrown: unknown) => failedLook(unlessAborted(thrown), depth, now()),
    );
    state.looks = addLook(state.looks, found);
    memory.set(keys.looks, storedLooks(state.looks));
    mark.set(needsRescue(state.looks, { wasRescued: wasRescuedAfter(dataFolder, now() - DAY_MS) }));
    log.info("checked", { depth, problems: found.problems.length, ...(found.error && { code: found.error.code }) });
    return found;
  }

  /** Indexes whose pages do not read cannot be emptied either: then the rows are brought over into a new database. */
  async function rebuild(): Promise<void> {
    log.warn("search is made anew");
    try {
      await maintenance.run("rebuildSearch", { file });
    } catch (thrown) {
      if (toAppError(thrown).code !== "data-damaged") throw thrown;
      mark.set(true);
      return;
    }
    await lookOnce("full");
  }

  return { state: state as Readonly<typeof state>, look };
}

function createBackups(options: CaretakerOptions, exclusively: Exclusively) {
  const { dataFolder, maintenance, memory, onChange, now, log } = options;
  const file = join(dataFolder, "lares.db");
  const folder = join(dataFolder, "backups");
  const state: {
    backups: readonly NumberedBackup[];
    /** Why the last one could not be made. */
    trouble: WireError | undefined;
  } = { backups: listBackups(folder), trouble: undefined };

  const backUp = (kind: "daily" | "by-hand") =>
    exclusively("backup", async () => {
      try {
        const { removed } = await maintenance.run("backUp", { file, folder, kind, now: now() });
        state.trouble = undefined;
        log.info("backed up", { kind, removed: removed.length });
      } catch (thrown) {
        state.trouble = toWire(unlessAborted(thrown));
        throw thrown;
      } finally {
        memory.set(keys.backup, new Date(now()).toDateString());
        state.backups = listBackups(folder);
        onChange();
      }
    });

  return { state: state as Readonly<typeof state>, backUp };
}

/** Whoever comes while something is under way is content with that. Never rejects. */
function oneAtATime(log: Log) {
  let working = false;
  return async (what: string, work: () => Promise<void>): Promise<void> => {
    if (working) return;
    working = true;
    try {
      await work();
    } catch (thrown) {
      log.error(`${what} failed`, { code: toAppError(thrown).code });
    } finally {
      working = false;
    }
  };
}

/** What was only broken off says nothing. */
function unlessAborted(thrown: unknown): AppError {
  const error = toAppError(thrown);
  if (error.code === "aborted") throw error;
  return error;
}
