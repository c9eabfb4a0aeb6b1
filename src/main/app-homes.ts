import { toAppError } from "../shared/errors.ts";
import { createLoop, type LoopDeps } from "./agent/loop.ts";
import type { Recovered } from "./agent/recovery.ts";
import { createRowCache } from "./agent/row-cache.ts";
import { settleTurn } from "./agent/settle.ts";
import type { Store } from "./db/store.ts";
import type { DeskStore } from "./ipc/backend.ts";
import { isPrivate } from "./lib/chat-id.ts";
import type { ResultFiles } from "./tools/result-files.ts";

type Shared = Omit<LoopDeps, "store" | "rows">;

/** What is kept of a chat outside the store, and goes with it. */
export interface Belongings {
  readonly results: ResultFiles;
  /** Removes what the engine keeps of a chat. */
  readonly forgetChat: (chatId: string) => Promise<void>;
}

/** A store and the turns over it. Chats on disk have one, chats in memory another: nothing leads from one to the other. */
function createHome(store: Store, shared: Shared, { results, forgetChat }: Partial<Belongings> = {}) {
  const rows = createRowCache(store);
  const loop = createLoop({ ...shared, store, rows, ...(results && { results }) });
  const failed = (thrown: unknown) => shared.log.error("belongings not removed", { code: toAppError(thrown).code });
  results?.sweep().catch(failed);
  const desk: DeskStore = {
    ...store,
    /** Another branch is shown: the rows that were kept in memory are of the one before. */
    showTurn(turnId: string): void {
      store.showTurn(turnId);
      const shown = store.turn(turnId);
      if (shown) rows.forget(shown.sessionId);
    },
    deleteChat(id: string, now: number): void {
      store.atomically(() => {
        for (const turn of store.recoveries(id)) settleTurn(store, turn, now); // nobody will decide it any more
        store.deleteChat(id, now);
      });
      rows.forget(id);
    },
    /** What its tools found and the engine kept goes with a chat, and before the last of its rows: a crash in between is made up for. */
    purgeChats(deletedBefore: number): string[] {
      const ids = store.purgeChats(deletedBefore);
      for (const id of ids) {
        results?.remove(id).catch(failed);
        forgetChat?.(id).catch(failed);
      }
      return ids;
    },
  };
  return { loop, desk, close: () => store.close() };
}

/** The home of kept chats, which has files, and the home of private ones, and the way to a chat's own. */
export function createHomes(stores: { kept: Store; private: Store }, shared: Shared, belongings: Belongings) {
  const kept = createHome(stores.kept, shared, belongings);
  const hidden = createHome(stores.private, shared);
  const both = [kept, hidden];
  const loopOf = (chatId: string) => (isPrivate(chatId) ? hidden : kept).loop;
  return {
    loopOf,
    stores: { kept: kept.desk, private: hidden.desk },
    /** Goes on with the interrupted turns that may go on without being asked. */
    goOn(recovered: readonly Recovered[]): void {
      for (const { sessionId, turnId, mayGoOn } of recovered) {
        if (!mayGoOn) continue;
        try {
          loopOf(sessionId).recovery.continueTurn(turnId);
        } catch (thrown) {
          shared.log.error("turn not gone on with", { turn: turnId, code: toAppError(thrown).code }); // it waits
        }
      }
    },
    /** Whether an answer is being made. */
    isBusy: (): boolean => both.some(({ loop }) => loop.status().running > 0),
    /** Resolves when nothing runs. */
    async idle(): Promise<void> {
      await Promise.all(both.map(({ loop }) => loop.idle()));
    },
    /** Ends every turn. The stores stay open: the engine may still have something to remember. */
    async endTurns(): Promise<void> {
      await Promise.all(both.map(({ loop }) => loop.close()));
    },
    close(): void {
      for (const home of both) home.close();
    },
  };
}

export type Homes = ReturnType<typeof createHomes>;
