import { createLoop, type LoopDeps } from "./agent/loop.ts";
import type { Recovered } from "./agent/recovery.ts";
import { createRowCache } from "./agent/row-cache.ts";
import type { Store } from "./db/store.ts";
import type { DeskStore } from "./ipc/backend.ts";
import { isPrivate } from "./lib/chat-id.ts";

type Shared = Omit<LoopDeps, "store" | "rows">;

/** A store and the turns over it. Chats on disk have one, chats in memory another: nothing leads from one to the other. */
function createHome(store: Store, shared: Shared) {
  const rows = createRowCache(store);
  const loop = createLoop({ ...shared, store, rows });
  const desk: DeskStore = {
    ...store,
    /** Another branch is shown: the rows that were kept in memory are of the one before. */
    showTurn(turnId: string): void {
      store.showTurn(turnId);
      const shown = store.turn(turnId);
      if (shown) rows.forget(shown.sessionId);
    },
    deleteChat(id: string, now: number): void {
      store.deleteChat(id, now);
      rows.forget(id);
    },
  };
  return { loop, desk, close: () => store.close() };
}

/** The home of kept chats and the home of private ones, and the way to a chat's own. */
export function createHomes(stores: { kept: Store; private: Store }, shared: Shared) {
  const kept = createHome(stores.kept, shared);
  const hidden = createHome(stores.private, shared);
  const both = [kept, hidden];
  const loopOf = (chatId: string) => (isPrivate(chatId) ? hidden : kept).loop;
  return {
    loopOf,
    stores: { kept: kept.desk, private: hidden.desk },
    /** Goes on with the interrupted turns that may go on without being asked. */
    goOn(recovered: readonly Recovered[]): void {
      for (const { sessionId, turnId, mayGoOn } of recovered)
        if (mayGoOn) loopOf(sessionId).recovery.continueTurn(turnId);
    },
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
