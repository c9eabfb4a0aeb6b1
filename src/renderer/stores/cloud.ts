import { createStore, type StoreApi } from "zustand/vanilla";
import type { CloudOverview, Mark } from "../../shared/cloud.ts";
import { type AppError, toAppError } from "../../shared/errors.ts";
import type { Host } from "../lib/host.ts";

export interface CloudState {
  /** Empty until it was read once. */
  readonly overview: CloudOverview;
  /** What is marked never to leave. */
  readonly marks: readonly Mark[];
  readonly problem: AppError | null;
}

export interface CloudDesk {
  readonly store: StoreApi<CloudState>;
  read(): Promise<void>;
  /** Marks a chat or a file never to go to the cloud, or takes the mark away. */
  setMark(mark: Mark, never: boolean): Promise<void>;
}

const nothing: CloudOverview = {
  vendors: [],
  connections: [],
  presets: [],
  vault: { tier: "session", backend: "", locked: false, available: [] },
};

/** Connections, presets and where keys are kept, the same in every window; and what is marked. Never a key. */
export function createCloud(host: Host): CloudDesk {
  const store = createStore<CloudState>(() => ({ overview: nothing, marks: [], problem: null }));

  async function attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      store.setState({ problem: null });
    } catch (thrown) {
      store.setState({ problem: toAppError(thrown) });
    }
  }

  const readMarks = async () => store.setState(await host.call("marks.list", {}));
  const read = () =>
    attempt(async () => {
      store.setState({ overview: await host.call("cloud.overview", {}) });
      await readMarks();
    });

  host.onEvents((events) => {
    for (const { event } of events) if (event.type === "cloud") store.setState({ overview: event.cloud });
    if (events.some(({ event }) => event.type === "reset")) void read();
  });
  void read();

  return {
    store,
    read,
    setMark: (mark, never) =>
      attempt(async () => {
        await host.call("marks.set", { mark, never });
        await readMarks();
      }),
  };
}
