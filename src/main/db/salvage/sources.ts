import { closeSync, openSync, readSync } from "node:fs";
import type { Row, readLayouts } from "./layouts.ts";
import { openPages, type Pages } from "./pages.ts";
import { recordsOn, type StoredRecord } from "./records.ts";

type Classify = ReturnType<typeof readLayouts>;

/** What a file still holds of us: rows by table, and ids of messages that only an index knows. */
export interface Found {
  readonly row?: { readonly table: string; readonly row: Row };
  readonly messageId?: number;
}

/** Page sizes that Lares ever used, the usual one first. */
const sizes = [2048, 4096] as const;

/** Reads every page of a file for itself, whatever became of the others. The file is not changed. */
export function* readSource(file: string, classify: Classify): Generator<Found> {
  const pages = openAs(file, pageSizeOf(file, classify), classify);
  try {
    for (let number = 1; number <= pages.count; number++) {
      for (const record of recordsOn(pages, number)) {
        const row = classify(record);
        const messageId = row ? undefined : idInIndex(record);
        if (row || messageId !== undefined)
          yield { ...(row && { row }), ...(messageId !== undefined && { messageId }) };
      }
    }
  } finally {
    pages.close();
  }
}

/** An entry of the index of messages: chat, id, turn, and once more the id, as every index ends in it. */
function idInIndex({ rowid, values }: StoredRecord): number | undefined {
  const [chat, id, turn, again] = values;
  const isEntry = rowid === undefined && values.length === 4 && typeof chat === "string" && typeof turn === "string";
  return isEntry && typeof id === "number" && id === again ? id : undefined;
}

/** As its header says, where that is one of ours; else the one by which more of it reads. */
function pageSizeOf(file: string, classify: Classify): number {
  const header = Buffer.alloc(18);
  const descriptor = openSync(file, "r");
  try {
    readSync(descriptor, header, 0, header.length, 0);
  } finally {
    closeSync(descriptor);
  }
  const named = sizes.find((size) => size === header.readUInt16BE(16));
  if (named !== undefined && header.toString("latin1", 0, 15) === "SQLite format 3") return named;
  const [one, other] = sizes.map((size) => ({ size, rows: rowsAs(file, size, classify) }));
  return one && other && other.rows > one.rows ? other.size : sizes[0];
}

const PROBED = 2_000;

function rowsAs(file: string, size: number, classify: Classify): number {
  const pages = openPages(file, size, { withJournal: false });
  try {
    let rows = 0;
    for (let number = 1; number <= Math.min(pages.count, PROBED); number++) {
      for (const record of recordsOn(pages, number)) if (classify(record)) rows++;
    }
    return rows;
  } finally {
    pages.close();
  }
}

/** With its journal, unless that is another database's: then its pages hold something else than ours do. */
function openAs(file: string, size: number, classify: Classify): Pages {
  const whole = openPages(file, size);
  const bare = openPages(file, size, { withJournal: false });
  let same = 0;
  let other = 0;
  for (const number of whole.journalled) {
    const before = tableOn(bare, number, classify);
    const after = tableOn(whole, number, classify);
    if (before === undefined || after === undefined) continue;
    if (before === after) same++;
    else other++;
  }
  const isForeign = other > same;
  (isForeign ? whole : bare).close();
  return isForeign ? bare : whole;
}

/** What the first row of a page is of. Undefined: nothing that reads. */
function tableOn(pages: Pages, number: number, classify: Classify): string | undefined {
  const [first] = recordsOn(pages, number);
  return first && (classify(first)?.table ?? `an index of ${first.values.length}`);
}
