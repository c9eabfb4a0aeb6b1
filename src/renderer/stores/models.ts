import { createStore, type StoreApi } from "zustand/vanilla";
import { type AppError, toAppError } from "../../shared/errors.ts";
import type { EngineState, FetchState, HubFile, ModelCard, ModelFacts } from "../../shared/views.ts";
import type { Host } from "../lib/host.ts";

export interface ModelsState {
  readonly status: "reading" | "ready";
  readonly cards: readonly ModelCard[];
  /** Of this computer. */
  readonly memoryBytes: number;
  /** Downloads of this run of the app, by model. */
  readonly fetches: Readonly<Record<string, FetchState>>;
  readonly engine: EngineState;
  readonly problem: AppError | null;
  /** A file that a person dropped on the window; without facts, nobody knows where it lies. */
  readonly dropped: { readonly name: string; readonly facts: ModelFacts | null } | null;
}

export interface Models {
  readonly store: StoreApi<ModelsState>;
  read(): Promise<void>;
  fetch(modelId: string): Promise<void>;
  /** A file that a search of the hub found. */
  fetchFile(file: Pick<HubFile, "repository" | "file">): Promise<void>;
  pause(modelId: string): Promise<void>;
  /** Throws away what came. */
  cancel(modelId: string): Promise<void>;
  remove(modelId: string): Promise<void>;
  /** True: it is there and is what new chats use. */
  use(model: string): Promise<boolean>;
  /** Uses a file of one's own from now on, where it is or as a copy. */
  add(path: string, copy: boolean): Promise<boolean>;
  /** What a file says of itself; undefined: the problem says why not. */
  explain(path: string): Promise<ModelFacts | undefined>;
  /** A file that a person dropped. */
  take(file: File): Promise<void>;
  forgetDropped(): void;
  /** Undefined: the problem says why there is no answer. */
  search(query: string): Promise<readonly HubFile[] | undefined>;
  release(modelId: string, safer: boolean): Promise<void>;
  unload(): Promise<void>;
  clearProblem(): void;
}

/** The models of this computer, their downloads, and the engine that runs one of them. */
export function createModels(host: Host, fetches: readonly FetchState[]): Models {
  const store = createStore<ModelsState>(() => ({
    status: "reading",
    cards: [],
    memoryBytes: 0,
    fetches: Object.fromEntries(fetches.map((state) => [state.modelId, state])),
    engine: { steps: [] },
    problem: null,
    dropped: null,
  }));

  /** What came of it; undefined, and the problem in the store, when it could not be done. */
  async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const value = await work();
      store.setState({ problem: null });
      return value;
    } catch (thrown) {
      store.setState({ problem: toAppError(thrown) });
      return undefined;
    }
  }

  const read = async () => {
    await attempt(async () => {
      const [{ models, memoryBytes }, engine] = await Promise.all([
        host.call("models.list", {}),
        host.call("models.engine", {}),
      ]);
      store.setState({ status: "ready", cards: models, memoryBytes, engine });
    });
  };

  /** Does it, and reads the list again. */
  const changing = async (work: () => Promise<unknown>): Promise<boolean> => {
    const done = (await attempt(async () => ({ value: await work() }))) !== undefined;
    if (done) await read();
    return done;
  };

  follow(host, store, () => void read());
  void read();

  return {
    store,
    read,
    fetch: async (modelId) => void (await attempt(() => host.call("models.fetch", { modelId }))),
    fetchFile: async ({ repository, file }) =>
      void (await changing(() => host.call("models.fetchFile", { repository, file }))),
    pause: async (modelId) => void (await attempt(() => host.call("models.pause", { modelId }))),
    cancel: async (modelId) => void (await changing(() => host.call("models.cancel", { modelId }))),
    remove: async (modelId) => void (await changing(() => host.call("models.remove", { modelId }))),
    use: (model) => changing(() => host.call("models.use", { model })),
    add: (path, copy) =>
      changing(async () => {
        const { modelId } = await host.call("models.add", { path, copy });
        if (!copy) await host.call("models.use", { model: modelId });
      }),
    explain: (path) => attempt(() => host.call("models.explain", { path })),
    ...droppedCalls(host, store),
    search: async (query) => (await attempt(() => host.call("models.search", { query })))?.files,
    release: async (modelId, safer) => void (await changing(() => host.call("models.release", { modelId, safer }))),
    unload: async () => void (await attempt(() => host.call("models.unload", {}))),
    clearProblem: () => store.setState({ problem: null }),
  };
}

/** Keeps the store up to date with what is told; `read` when the list may have changed. */
function follow(host: Host, store: StoreApi<ModelsState>, read: () => void): void {
  host.onEvents((events) => {
    let changed = false;
    for (const { event } of events) {
      if (event.type === "fetch") {
        const { fetch: news } = event;
        changed ||= news.state !== store.getState().fetches[news.modelId]?.state;
        store.setState(({ fetches }) => ({ fetches: { ...fetches, [news.modelId]: news } }));
      }
      if (event.type === "engine") store.setState({ engine: event.engine });
      changed ||= event.type === "settings" || event.type === "reset";
    }
    if (changed) read();
  });
}

function droppedCalls(host: Host, store: StoreApi<ModelsState>): Pick<Models, "take" | "forgetDropped"> {
  return {
    async take(file) {
      const facts = await host.callOn("models.explain", file).catch((thrown: unknown) => {
        const problem = toAppError(thrown);
        if (problem.code !== "bad-request") store.setState({ problem }); // else a browser does not tell its path
        return null;
      });
      store.setState({ dropped: { name: file.name, facts } });
    },
    forgetDropped: () => store.setState({ dropped: null }),
  };
}
