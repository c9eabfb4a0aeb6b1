import type { AppError } from "../../shared/errors.ts";
import type { NewLedgerRow } from "../../shared/network.ts";
import type { Log } from "../lib/log.ts";
import type { Errand, Ledger } from "./errand.ts";
import { isByHand, localMode } from "./guard.ts";
import { beginLeg, type Leg } from "./leg.ts";
import { abortError } from "./wire-error.ts";

/** Where a connection leads. */
export type Where = Pick<NewLedgerRow, "host" | "port" | "place" | "address">;

export interface JournalOptions {
  readonly ledger: Ledger;
  readonly isLocalMode: () => boolean;
  readonly log: Log;
}

/** What is connected to, and what was refused, one row each; and what of it Local mode cuts off. */
export function createJournal({ ledger, isLocalMode, log }: JournalOptions) {
  const cuttable = new Map<Leg, string>();

  /** A row for what was not connected. It is not connected, whether the row can be written or not. Returns the error. */
  function refuse(errand: Errand, where: Where, error: AppError): AppError {
    const outcome = error.code === "address-refused" || error.code === "local-mode" ? "refused" : "failed";
    try {
      ledger.open({ ...rowOf(errand, where), at: Date.now(), outcome, error: error.code });
    } catch {
      log.warn("refused connection not written down", { code: error.code });
    }
    return error;
  }

  return {
    isLocalMode,
    refuse,
    /** The row of a connection, on disk. Throws local-mode, and as the store does: then nothing may be connected. */
    begin(errand: Errand, where: Where, signal?: AbortSignal): Leg {
      const isFree = where.place === "this-computer" || isByHand(errand);
      if (!isFree && isLocalMode()) throw refuse(errand, where, localMode(where.host));
      const leg = beginLeg({
        ...{ ledger, log, signal },
        row: rowOf(errand, where),
        nameAbort: (reason) => abortError(reason, where.host),
        onEnd: (ended) => cuttable.delete(ended),
      });
      if (!isFree) cuttable.set(leg, where.host);
      return leg;
    },
    /** Cuts off all that Local mode would not have let begin. */
    shut(): void {
      for (const [leg, host] of cuttable) leg.end(localMode(host));
    },
  };
}

export type Journal = ReturnType<typeof createJournal>;

const rowOf = ({ chatId, turnId, model, purpose }: Errand, where: Where) => ({
  ...where,
  purpose,
  ...(chatId !== undefined && { chatId }),
  ...(turnId !== undefined && { turnId }),
  ...(model !== undefined && { model }),
});
