import { createStore, type StoreApi } from "zustand/vanilla";
import { type AppError, toAppError } from "../../shared/errors.ts";
import type { LedgerRow, LedgerTotals } from "../../shared/network.ts";
import type { StreamEvent } from "../../shared/stream.ts";
import type { Host } from "../lib/host.ts";

const PAGE = 100;

export interface NetworkState {
  readonly status: "reading" | "ready";
  /** Newest first. */
  readonly rows: readonly LedgerRow[];
  readonly hasMore: boolean;
  readonly totals: LedgerTotals | null;
  readonly problem: AppError | null;
}

/** The ledger of one chat, or of everything but the private chats, for as long as somebody looks at it. */
export interface Network {
  readonly store: StoreApi<NetworkState>;
  read(): Promise<void>;
  readEarlier(): Promise<void>;
  dispose(): void;
}

/** Pure: the rows with one that is new or closed. */
export function withLedgerRow(rows: readonly LedgerRow[], row: LedgerRow): readonly LedgerRow[] {
  const at = rows.findIndex(({ id }) => id <= row.id);
  if (at === -1) return [...rows, row];
  return rows[at]?.id === row.id ? rows.with(at, row) : rows.toSpliced(at, 0, row);
}

/** `isShown`: whether a row belongs to what is looked at; the ledgers of private chats count on their own. */
export function createNetwork(host: Host, chatId: string | undefined, isShown: (row: LedgerRow) => boolean): Network {
  const store = createStore<NetworkState>(() => ({
    status: "reading",
    rows: [],
    hasMore: false,
    totals: null,
    problem: null,
  }));
  const of = chatId === undefined ? {} : { chatId };
  /** Totals are asked for one at a time; what changes meanwhile asks once more. */
  let isAsking = false;
  let isOld = false;

  async function attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      store.setState({ problem: null });
    } catch (thrown) {
      store.setState({ problem: toAppError(thrown) });
    }
  }

  async function readTotals(): Promise<void> {
    isOld = isAsking;
    if (isAsking) return;
    isAsking = true;
    await attempt(async () => store.setState({ totals: await host.call("network.totals", of) }));
    isAsking = false;
    if (isOld) await readTotals();
  }

  async function read(): Promise<void> {
    await attempt(async () => {
      const { rows, hasMore } = await host.call("network.list", { ...of, limit: PAGE });
      store.setState({ status: "ready", rows, hasMore });
    });
    await readTotals();
  }

  function take(event: StreamEvent): void {
    if (event.type !== "network" || !isShown(event.row)) return;
    store.setState(({ rows }) => ({ rows: withLedgerRow(rows, event.row) }));
    void readTotals();
  }

  const unlisten = host.onEvents((events) => {
    for (const { event } of events) take(event);
    if (events.some(({ event }) => event.type === "reset")) void read();
  });
  void read();

  return {
    store,
    read,
    readEarlier: () =>
      attempt(async () => {
        const before = store.getState().rows.at(-1)?.id;
        const earlier = await host.call("network.list", {
          ...of,
          limit: PAGE,
          ...(before !== undefined && { before }),
        });
        store.setState(({ rows }) => ({ rows: earlier.rows.reduce(withLedgerRow, rows), hasMore: earlier.hasMore }));
      }),
    dispose: unlisten,
  };
}
