import { setImmediate as nextRound } from "node:timers/promises";
import { toAppError } from "../../shared/errors.ts";
import type { Log } from "../lib/log.ts";
import type { DeskStore } from "./backend.ts";

/** How long a deleted chat can be brought back. */
const UNDO_MS = 60_000;

interface DeletedChatsOptions {
  readonly stores: readonly DeskStore[];
  readonly now: () => number;
  readonly log: Log;
}

/** The chats that were deleted: out of sight at once, and gone for good a minute later or with the next start. */
export function createDeletedChats({ stores, now, log }: DeletedChatsOptions) {
  const ids = new Set<string>();
  const timers = new Set<NodeJS.Timeout>();
  let closed = false;

  /** Removes for good what was deleted until then, in steps: other work goes on in between. */
  async function purge(deletedBefore: number): Promise<void> {
    try {
      for (const store of stores) {
        while (!closed && store.purgeChats(deletedBefore).length > 0) await nextRound();
      }
    } catch (thrown) {
      log.error("chats not purged", { code: toAppError(thrown).code }); // the next start tries again
    }
  }

  function purgeLater(): void {
    const deletedBefore = now() + 1;
    const timer = setTimeout(() => {
      timers.delete(timer);
      void purge(deletedBefore);
    }, UNDO_MS);
    timers.add(timer.unref());
  }

  return {
    has: (chatId: string): boolean => ids.has(chatId),
    add: (chatId: string): void => void ids.add(chatId),
    remove: (chatId: string): void => void ids.delete(chatId),
    purge,
    purgeLater,
    close(): void {
      closed = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

export type DeletedChats = ReturnType<typeof createDeletedChats>;
