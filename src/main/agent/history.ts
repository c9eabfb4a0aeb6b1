import type { Message } from "../../shared/message.ts";
import type { RowCache } from "./row-cache.ts";
import { countedText, MESSAGE_OVERHEAD } from "./tokens.ts";

const PAGE = 64;

/** The part of its room that the past may use, after so many overflows. */
export const historyShare = (overflows: number): number => (overflows === 0 ? 1 : 0.5);

interface HistoryOptions {
  readonly rows: RowCache;
  readonly sessionId: string;
  /** Rows from this id on belong to the turn itself. */
  readonly before: number;
  /** Tokens the history may have. */
  readonly budget: number;
  readonly count: (texts: readonly string[]) => Promise<number[]>;
}

/**
 * The newest rows of a session that fit, oldest first, starting with a user row. Reads pages from the end, so that a
 * session of any length costs what the window costs. Where rows must be left out, the start moves in steps: a start
 * that moved with every turn would make the model read everything again each time.
 */
export async function pickHistory({
  rows: cache,
  sessionId,
  before,
  budget,
  count,
}: HistoryOptions): Promise<Message[]> {
  let rows: Message[] = [];
  let tokens = 0;
  let cursor = before;
  while (true) {
    const page = cache.page(sessionId, { before: cursor, limit: PAGE });
    const [first] = page;
    if (!first) return fromUserRow(rows);
    const counted = await count(page.map(({ parts }) => countedText(parts)));
    for (let at = page.length - 1; at >= 0; at--) {
      tokens += (counted[at] ?? 0) + MESSAGE_OVERHEAD;
      if (tokens > budget) return fromUserRow(onGrid([...page.slice(at + 1), ...rows]));
    }
    rows = [...page, ...rows];
    cursor = first.id;
    if (page.length < PAGE) return fromUserRow(rows);
  }
}

/** Starts at the next multiple of a step of about an eighth of the rows: it stays there until the window has moved past it. */
function onGrid(rows: readonly Message[]): Message[] {
  const step = 2 ** Math.max(1, Math.floor(Math.log2(rows.length / 8)));
  const first = rows[0]?.id ?? 0;
  const start = Math.ceil(first / step) * step;
  return rows.filter(({ id }) => id >= start);
}

function fromUserRow(rows: readonly Message[]): Message[] {
  const start = rows.findIndex(({ role, kind }) => role === "user" && kind === "chat");
  return start === -1 ? [] : rows.slice(start);
}
