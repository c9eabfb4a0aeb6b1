import { toAppError } from "../../shared/errors.ts";
import { callOf } from "./call.ts";
import type { Door, Errand, Visit, Watched } from "./errand.ts";
import { createJournal, type JournalOptions } from "./journal.ts";
import { follow } from "./journey.ts";
import type { Leg } from "./leg.ts";
import { type Limits, limitsFor } from "./limits.ts";
import { type Resolve, systemResolve } from "./resolve.ts";

export interface DoorOptions extends JournalOptions {
  /** Where HTTPS_PROXY, HTTP_PROXY and NO_PROXY come from, for downloads and searches. Absent: nothing goes through a proxy. */
  readonly proxies?: NodeJS.ProcessEnv;
  /** All addresses of a name. */
  readonly resolve?: Resolve;
  /** In place of those of the purpose. */
  readonly limits?: Partial<Limits>;
}

/**
 * The one way out. Each connection is checked, written down, and made to the very address that was checked. While Local mode
 * is on there is none beyond this computer, but what a person has clicked for; `shut` cuts off what runs when it is switched on.
 */
export function createDoor(options: DoorOptions): Door & { shut(): void } {
  const { proxies = {}, resolve = systemResolve } = options;
  const journal = createJournal(options);

  function visit(errand: Errand): Visit {
    const limits = { ...limitsFor[errand.purpose], ...options.limits };
    const journey = { errand, limits, journal, resolve, proxies };
    let newest: { body: string; leg: Leg } | undefined;
    const onSent = (body: Uint8Array | undefined, leg: Leg) => {
      newest = { body: Buffer.from(body ?? []).toString("utf8"), leg };
    };
    return {
      async fetch(url, init) {
        const bounds = [init?.signal ?? [], limits.wholeMs === undefined ? [] : AbortSignal.timeout(limits.wholeMs)];
        const signal = AbortSignal.any(bounds.flat());
        return follow(callOf(url, init), { ...journey, signal, onSent }).catch((thrown: unknown) => {
          throw toAppError(thrown);
        });
      },
      sent: () => newest && { body: newest.body, trip: newest.leg.trip() },
    };
  }

  async function program<T>(errand: Errand, host: string, run: (watched: Watched) => Promise<T>): Promise<T> {
    const leg = journal.begin(errand, { host, port: 0, place: "cloud" });
    const came = (bytes: number) => {
      leg.meter.bodyIn = bytes;
    };
    try {
      const value = await run({ signal: leg.signal, came });
      leg.end();
      return value;
    } catch (thrown) {
      leg.end(toAppError(thrown));
      throw thrown;
    }
  }

  return { visit, program, shut: journal.shut };
}
