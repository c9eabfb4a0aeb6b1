import { toAppError } from "../shared/errors.ts";
import type { StreamEvent } from "../shared/stream.ts";
import { type CloudOptions, createCloud } from "./app-cloud.ts";
import { ledgerOver } from "./app-ledger.ts";
import type { Store } from "./db/store.ts";
import { isPrivate } from "./lib/chat-id.ts";
import type { Log } from "./lib/log.ts";
import { createDoor } from "./net/door.ts";
import type { Resolve } from "./net/resolve.ts";

interface LeavingOptions extends Pick<CloudOptions, "vault" | "settings" | "workspace" | "log"> {
  readonly stores: { readonly kept: Store; readonly private: Store };
  readonly tell: (event: StreamEvent) => void;
  /** All addresses of a name; absent: as the system knows them. */
  readonly resolve?: Resolve | undefined;
}

/** Everything through which something may leave this computer: the door, its ledger, and the cloud models behind it. */
export function createLeaving({ stores, tell, resolve, ...options }: LeavingOptions) {
  closeLeftRows(stores.kept, options.log);
  const door = createDoor({
    ledger: ledgerOver(stores, (row) => tell({ type: "network", row })),
    isLocalMode: () => options.settings().localMode,
    log: options.log,
    proxies: process.env,
    ...(resolve && { resolve }),
  });
  const cloud = createCloud({
    ...options,
    kept: stores.kept,
    storeOf: (chatId) => (isPrivate(chatId) ? stores.private : stores.kept),
    door,
    onChange: (cloud) => tell({ type: "cloud", cloud }),
  });
  return { door, cloud };
}

/** Where nothing can be written the rows stay open: the next start closes them. */
function closeLeftRows(store: Store, log: Log): void {
  try {
    store.closeLeftRows(Date.now());
  } catch (thrown) {
    log.warn("ledger rows left open", { code: toAppError(thrown).code });
  }
}
