import { createStore } from "../../src/main/db/store.ts";
import { silentLog } from "../../src/main/lib/log.ts";
import { createDoor, type DoorOptions } from "../../src/main/net/door.ts";
import type { LedgerRow } from "../../src/shared/network.ts";

export interface TestDoor extends ReturnType<typeof createDoor> {
  /** All rows of its ledger, the oldest first. */
  rows(): LedgerRow[];
}

/** The real door over a real ledger, in memory. Local mode is off unless `options` say otherwise. */
export function aDoor(options: Partial<DoorOptions> = {}): TestDoor {
  const store = createStore(":memory:");
  const ledger: DoorOptions["ledger"] = {
    open: store.openLedgerRow,
    close: ({ id }, end) => store.closeLedgerRow(id, end),
  };
  const door = createDoor({ ledger, isLocalMode: () => false, log: silentLog, ...options });
  return { ...door, rows: () => store.ledgerRows({ limit: 1000 }).reverse() };
}

/** A way out to one origin of this computer, for a download. */
export const downloadFrom = (origin: string, door = aDoor()) =>
  door.visit({ purpose: "download", byHand: true, granted: new URL(origin).origin }).fetch;
