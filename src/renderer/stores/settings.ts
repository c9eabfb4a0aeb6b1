import { createStore, type StoreApi } from "zustand/vanilla";
import { type AppError, toAppError } from "../../shared/errors.ts";
import type { Hello } from "../../shared/ipc.ts";
import type { Settings } from "../../shared/settings.ts";
import type { Host } from "../lib/host.ts";

export interface SettingsState {
  readonly hello: Hello;
  readonly settings: Settings;
  /** False while the connection to the assistant is lost. */
  readonly isConnected: boolean;
  readonly problem: AppError | null;
}

export interface SettingsDesk {
  readonly store: StoreApi<SettingsState>;
  change(change: Partial<Settings>): Promise<void>;
}

/** The settings, the same in every window, and where this page is. */
export function createSettings(host: Host, hello: Hello): SettingsDesk {
  const store = createStore<SettingsState>(() => ({
    hello,
    settings: hello.settings,
    isConnected: true,
    problem: null,
  }));
  host.onEvents((events) => {
    for (const { event } of events) {
      if (event.type === "settings") store.setState({ settings: event.settings });
      if (event.type === "connection") store.setState({ isConnected: event.up });
    }
  });
  return {
    store,
    async change(change) {
      try {
        store.setState({ settings: await host.call("settings.change", { change }), problem: null });
      } catch (thrown) {
        store.setState({ problem: toAppError(thrown) });
      }
    },
  };
}
