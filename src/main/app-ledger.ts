import type { LedgerRow } from "../shared/network.ts";
import type { Store } from "./db/store.ts";
import { isPrivate } from "./lib/chat-id.ts";
import type { Ledger } from "./net/errand.ts";

/** The ledger over both stores: what a private chat sends is written down in memory only. */
export function ledgerOver(stores: { kept: Store; private: Store }, tell: (row: LedgerRow) => void): Ledger {
  const storeOf = (chatId: string | undefined) =>
    chatId !== undefined && isPrivate(chatId) ? stores.private : stores.kept;
  const told = (store: Store, id: number) => {
    const row = store.ledgerRow(id);
    if (row) tell(row);
  };
  return {
    open(row) {
      const store = storeOf(row.chatId);
      const id = store.openLedgerRow(row);
      told(store, id);
      return id;
    },
    close({ id, chatId }, end) {
      const store = storeOf(chatId);
      store.closeLedgerRow(id, end);
      told(store, id);
    },
  };
}
