import type { Message } from "../../shared/message.ts";
import type { Store } from "./store.ts";

const SESSIONS = 8;
/** A turn adds a handful of rows: enough to catch up with, in one read. */
const NEWEST = 16;

const isClosed = ({ status }: Message): boolean => status !== "pending" && status !== "streaming";

/**
 * Pages of a session's past, with the rows of the sessions used last kept in memory. Closed rows never change, so a
 * turn reads only what came since the last one, however long the chat is. Whoever shows another branch must say so with
 * `forget`.
 */
export function createRowCache(store: Pick<Store, "page">) {
  /** Rows without a gap, oldest first; the session used last stands last. */
  const kept = new Map<string, Message[]>();

  function keep(sessionId: string, rows: Message[]): Message[] {
    kept.delete(sessionId);
    kept.set(sessionId, rows);
    for (const oldest of [...kept.keys()].slice(0, -SESSIONS)) kept.delete(oldest);
    return rows;
  }

  /** The rows before `before` that are not kept yet, down to the newest kept one. */
  function newer(sessionId: string, before: number, last: number): Message[] {
    const rows: Message[] = [];
    for (let cursor = before, limit = NEWEST; ; limit *= 4) {
      const page = store.page(sessionId, { before: cursor, limit });
      rows.unshift(...page.filter(({ id }) => id > last));
      const first = page[0]?.id;
      if (first === undefined || first <= last || page.length < limit) return rows;
      cursor = first;
    }
  }

  /** The kept rows with what came since; undefined while one of the new ones is still being written. */
  function caughtUp(sessionId: string, before: number): Message[] | undefined {
    const rows = kept.get(sessionId) ?? [];
    const last = rows.at(-1);
    if (!last || last.id >= before) return rows;
    const fresh = newer(sessionId, before, last.id);
    if (!fresh.every(isClosed)) return undefined;
    return fresh.length > 0 ? keep(sessionId, [...rows, ...fresh]) : rows;
  }

  return {
    /** At most `limit` rows with ids below `before`, oldest first: what the store's own `page` gives. */
    page(sessionId: string, { before, limit }: { before: number; limit: number }): Message[] {
      const rows = caughtUp(sessionId, before);
      if (!rows) return store.page(sessionId, { before, limit });
      const wanted = rows.filter(({ id }) => id < before).slice(-limit);
      if (wanted.length === limit) return wanted;
      const older = store.page(sessionId, { before: wanted[0]?.id ?? before, limit: limit - wanted.length });
      const isGapless = wanted.length > 0 || rows.length === 0;
      if (isGapless && older.every(isClosed)) keep(sessionId, [...older, ...rows]);
      return [...older, ...wanted];
    },
    /** Rows that were shown may not be any more: the next page is read anew. */
    forget(sessionId: string): void {
      kept.delete(sessionId);
    },
  };
}

export type RowCache = ReturnType<typeof createRowCache>;
