import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import { toAppError } from "../../../shared/errors.ts";
import { type BackUpOptions, backUp, copyTo } from "../backup.ts";
import { checkOnly, checkReadOnly, type Problem, quickCheck } from "../check.ts";
import { type Connection, connect } from "../connection.ts";
import { inspect } from "../inspect.ts";
import { openDatabase } from "../open.ts";
import { type RescueOptions, type RescueResult, rescue } from "../salvage.ts";
import { beginRebuild, rebuildPiece } from "../search-index.ts";
import { storeError } from "../store-errors.ts";

/** quick: what a crash can have touched. whole: everything but a comparison of search with the rows. full: that too. */
export type Depth = "quick" | "whole" | "full";

/** What a look at a database found. */
export interface Findings {
  readonly depth: Depth;
  readonly problems: readonly Problem[];
  readonly messages: number;
  readonly schema: number;
  readonly sqlite: string;
}

export interface LookOptions {
  readonly file: string;
  readonly depth: Depth;
}

/** Looks at a database beside whoever uses it: nobody waits, and nothing in it is changed. */
export function lookAt({ file, depth }: LookOptions): Findings {
  const findings = inspect(file, (connection): Findings => {
    const one = (sql: string) => connection.statement(sql).pluck().get();
    if (one("PRAGMA user_version") === 0) throw storeError("data-damaged", file); // empty, or another program's
    return {
      depth,
      problems: depth === "quick" ? quickCheck(connection) : checkReadOnly(connection),
      messages: countMessages(connection),
      schema: Number(one("PRAGMA user_version")),
      sqlite: String(one("SELECT sqlite_version()")),
    };
  });
  const isReady = findings.problems.every(({ code }) => code !== "structure" && code !== "search");
  if (depth !== "full" || !isReady) return findings;
  return { ...findings, problems: [...findings.problems, ...searchProblems(file)] };
}

/** 0 where they cannot be counted: why, the problems say. */
function countMessages(connection: Connection): number {
  try {
    return Number(connection.statement("SELECT count(*) FROM message").pluck().get());
  } catch {
    return 0; // the structure of the index or of the table is damaged
  }
}

/** The indexes are compared in a copy: to compare them where they are would keep whoever writes waiting for seconds. */
function searchProblems(file: string): Problem[] {
  const folder = join(dirname(file), "backups");
  const part = join(folder, `check-${process.pid}.part`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    copyTo(file, part);
    const copy = new Sqlite(part);
    try {
      return checkOnly(connect(copy, part), ["search"]);
    } finally {
      copy.close();
    }
  } catch (thrown) {
    return [{ code: "search", text: `Search could not be compared: ${toAppError(thrown).message}` }];
  } finally {
    rmSync(part, { force: true });
  }
}

/** Between two pieces whoever wants to write gets to it. */
const PAUSE_MS = 10;

/**
 * Makes the indexes of search anew beside whoever uses the database, a piece at a time, so that nobody waits longer than
 * for a piece. It may be killed: then it goes on where it was.
 */
export function rebuildSearch({ file }: { file: string }): void {
  const connection = openDatabase(file);
  try {
    connection.statement("PRAGMA secure_delete = fast").all(); // the pages are filled with the same words again
    connection.atomically(() => beginRebuild(connection));
    while (connection.atomically(() => rebuildPiece(connection))) sleep(PAUSE_MS);
  } finally {
    connection.close();
  }
}

const sleep = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** What takes long and is done in a thread of its own. */
export interface Jobs {
  lookAt(options: LookOptions): Findings;
  backUp(options: BackUpOptions): { name: string; removed: string[] };
  rescue(options: RescueOptions): RescueResult;
  rebuildSearch(options: { file: string }): void;
}

export const jobs: Jobs = { lookAt, backUp, rescue, rebuildSearch };
