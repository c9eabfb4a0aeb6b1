import { createStore, type StoreApi } from "zustand/vanilla";
import { type AppError, toAppError } from "../../shared/errors.ts";
import type { HealthReport, Storage } from "../../shared/health.ts";
import type { Host } from "../lib/host.ts";

export interface HealthState {
  readonly storage: Storage;
  /** Null until it was read once. */
  readonly report: HealthReport | null;
  readonly problem: AppError | null;
}

export interface HealthDesk {
  readonly store: StoreApi<HealthState>;
  read(): Promise<void>;
  check(): Promise<void>;
  backUp(): Promise<void>;
  /** The word about a rescue was read. */
  seen(): Promise<void>;
  /** Figures and versions for a report of a problem; null: they could not be had. */
  diagnostics(): Promise<string | null>;
}

/** The state of the data, the same in every window. */
export function createHealth(host: Host, storage: Storage): HealthDesk {
  const store = createStore<HealthState>(() => ({ storage, report: null, problem: null }));
  const keep = (report: HealthReport) => store.setState({ report, storage: report.storage });
  const read = async () => void (await attempt(async () => keep(await host.call("health.report", {}))));
  host.onEvents((events) => {
    for (const { event } of events) if (event.type === "health") keep(event.report);
    if (events.some(({ event }) => event.type === "reset")) void read();
  });

  async function attempt<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      const done = await work();
      store.setState({ problem: null });
      return done;
    } catch (thrown) {
      store.setState({ problem: toAppError(thrown) });
      return null;
    }
  }

  return {
    store,
    read,
    check: async () => void (await attempt(() => host.call("health.check", {}))),
    backUp: async () => void (await attempt(() => host.call("health.backup", {}))),
    seen: async () => void (await attempt(() => host.call("health.seen", {}))),
    diagnostics: async () => (await attempt(() => host.call("health.diagnostics", {})))?.text ?? null,
  };
}
