import type { AppError } from "../../shared/errors.ts";
import type { NewLedgerRow, Trip } from "../../shared/network.ts";
import type { Log } from "../lib/log.ts";
import type { Ledger } from "./errand.ts";

/** One connection from its row in the ledger to its end. */
export interface Leg {
  /** Counts what crosses. */
  readonly meter: { bodyOut: number; bodyIn: number; status?: number };
  /** Aborted when the caller stops, when Local mode cuts it, or when it ends. */
  readonly signal: AbortSignal;
  trip(): Trip;
  /** Closes the row and the connection, once: what comes later changes nothing. Whoever still waits is told the error. */
  end(error?: AppError): void;
}

interface LegOptions {
  readonly row: Omit<NewLedgerRow, "at" | "outcome">;
  readonly ledger: Ledger;
  readonly log: Log;
  readonly signal: AbortSignal | undefined;
  /** Names the reason that the signal gives. */
  readonly nameAbort: (reason: unknown) => AppError;
  readonly onEnd: (leg: Leg) => void;
}

/** Writes the row, and only then is there a leg. Throws as the store does. */
export function beginLeg({ row, ledger, log, signal, nameAbort, onEnd }: LegOptions): Leg {
  if (signal?.aborted) throw nameAbort(signal.reason);
  const id = ledger.open({ ...row, at: Date.now(), outcome: "open" });
  const meter: Leg["meter"] = { bodyOut: 0, bodyIn: 0 };
  const own = new AbortController();
  let isOpen = true;

  function end(error?: AppError): void {
    if (!isOpen) return;
    isOpen = false;
    signal?.removeEventListener("abort", onAbort);
    const outcome = error === undefined ? "done" : "failed";
    try {
      const told = { ...meter, outcome, endedAt: Date.now(), ...(error && { error: error.code }) } as const;
      ledger.close({ id, chatId: row.chatId }, told);
    } catch {
      log.warn("ledger row not closed", { id }); // the next start closes it, as one that was cut
    }
    own.abort(error);
    onEnd(leg);
  }
  const onAbort = () => end(nameAbort(signal?.reason));
  signal?.addEventListener("abort", onAbort);

  const { host, place } = row;
  const leg: Leg = {
    meter,
    signal: own.signal,
    trip: () => ({ ledgerId: id, host, place, bodyOut: meter.bodyOut, bodyIn: meter.bodyIn }),
    end,
  };
  return leg;
}
