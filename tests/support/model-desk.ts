import { join } from "node:path";
import type { FileFacts } from "../../src/main/engine/replies.ts";
import type { DeskEngine } from "../../src/main/models/desk-parts.ts";
import { createModelDesk, type ModelDeskOptions } from "../../src/main/models/model-desk.ts";
import { Settings } from "../../src/shared/settings.ts";
import { FetchState } from "../../src/shared/views.ts";
import { aDoor, type TestDoor } from "./door.ts";

/** What a small model says of itself. */
export const factsOf = (path: string): FileFacts => ({
  ...{ path, name: "Tiny", architecture: "llama", trainedWindow: 4096, tools: true, thinking: false, bytes: 400_000 },
  parts: 1,
  shape: {
    ...{ bytes: 400_000, repacked: 0, trainedWindow: 4096, width: 64, feedForward: 128, heads: 4, vocabulary: 1000 },
    ...{ perToken: 512, slidingPerToken: 0, slidingWindow: 0, fixed: 0 },
  },
});

/** An engine that loads nothing, and remembers what it was asked for. */
export function quietEngine(more: Partial<DeskEngine> = {}) {
  const released: string[] = [];
  const unloaded: string[] = [];
  const engine: DeskEngine = {
    inspect: async (path) => factsOf(path),
    held: async () => undefined,
    release: (path, how) => void released.push(how?.safer ? `${path} safely` : path),
    unload: async (path) => void unloaded.push(path ?? "all"),
    state: () => ({ steps: [] }),
    gpuMemory: undefined,
    ...more,
  };
  return { ...engine, released, unloaded };
}

export interface TestDesk extends ReturnType<typeof createModelDesk> {
  /** How the downloads went, in order. */
  readonly told: FetchState[];
  /** Kept from one desk to the next. */
  readonly home: DeskHome;
  readonly calls: ReturnType<typeof quietEngine>;
  readonly door: TestDoor;
  /** The states of one model's download, without those that came twice. */
  states(modelId: string): string[];
}

/** What outlives a desk. */
export interface DeskHome {
  readonly folder: string;
  settings: Settings;
  readonly values: Map<string, string>;
}

export const aDeskHome = (folder: string): DeskHome => ({ folder, settings: Settings.parse({}), values: new Map() });

/** The real desk over the real door, with a home in `folder` and the hub at `hub`. */
export function aModelDesk(home: DeskHome, hub: string, more: Partial<ModelDeskOptions> = {}): TestDesk {
  const told: FetchState[] = [];
  const engine = quietEngine();
  const door = aDoor();
  const desk = createModelDesk({
    ...{ dataFolder: home.folder, door, engine, catalogue: [] },
    settings: () => home.settings,
    changeSettings: ({ model }) => {
      const { model: _old, ...rest } = home.settings;
      home.settings = model === "" ? rest : { ...rest, model };
    },
    memory: { get: (key) => home.values.get(key), set: (key, value) => void home.values.set(key, value) },
    onFetch: (state) => told.push(FetchState.parse(state)),
    environment: { HF_ENDPOINT: hub, LARES_MODEL_CACHE: join(home.folder, "cache") },
    computer: () => ({ total: 8e9 }),
    ...more,
  });
  const states = (modelId: string) =>
    told.flatMap((one) => (one.modelId === modelId ? [one.state] : [])).filter((one, at, all) => one !== all[at - 1]);
  return { ...desk, told, home, calls: engine, door, states };
}
