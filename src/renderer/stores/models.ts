import { createStore, type StoreApi } from "zustand/vanilla";
import { type AppError, toAppError } from "../../shared/errors.ts";
import type { FetchState, ModelCard } from "../../shared/views.ts";
import type { Host } from "../lib/host.ts";

export interface ModelsState {
  readonly status: "reading" | "ready";
  readonly cards: readonly ModelCard[];
  /** Of this computer. */
  readonly memoryBytes: number;
  /** Downloads of this run of the app, by model. */
  readonly fetches: Readonly<Record<string, FetchState>>;
  readonly problem: AppError | null;
}

export interface Models {
  readonly store: StoreApi<ModelsState>;
  read(): Promise<void>;
  fetch(modelId: string): Promise<void>;
  pause(modelId: string): Promise<void>;
  /** True: it is there and is what new chats use. */
  use(model: string): Promise<boolean>;
  clearProblem(): void;
}

/** The models of this computer and their downloads. */
export function createModels(host: Host, fetches: readonly FetchState[]): Models {
  const store = createStore<ModelsState>(() => ({
    status: "reading",
    cards: [],
    memoryBytes: 0,
    fetches: Object.fromEntries(fetches.map((state) => [state.modelId, state])),
    problem: null,
  }));

  async function attempt(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      store.setState({ problem: null });
      return true;
    } catch (thrown) {
      store.setState({ problem: toAppError(thrown) });
      return false;
    }
  }

  const read = async () => {
    await attempt(async () => {
      const { models, memoryBytes } = await host.call("models.list", {});
      store.setState({ status: "ready", cards: models, memoryBytes });
    });
  };

  host.onEvents((events) => {
    let changed = false;
    for (const { event } of events) {
      if (event.type === "fetch") {
        const { fetch: news } = event;
        changed ||= news.state !== store.getState().fetches[news.modelId]?.state;
        store.setState(({ fetches }) => ({ fetches: { ...fetches, [news.modelId]: news } }));
      }
      changed ||= event.type === "settings" || event.type === "reset";
    }
    if (changed) void read();
  });
  void read();

  return {
    store,
    read,
    fetch: async (modelId) => void (await attempt(() => host.call("models.fetch", { modelId }))),
    pause: async (modelId) => void (await attempt(() => host.call("models.pause", { modelId }))),
    async use(model) {
      const done = await attempt(() => host.call("models.use", { model }));
      if (done) await read();
      return done;
    },
    clearProblem: () => store.setState({ problem: null }),
  };
}
