import { totalmem } from "node:os";
import type { Settings } from "../../shared/settings.ts";
import type { EngineState, FetchState } from "../../shared/views.ts";
import type { FileFacts } from "../engine/replies.ts";
import type { Door } from "../net/errand.ts";
import { type ModelEntry, readCatalogue } from "./catalogue.ts";
import { createDownloads, type Downloads, type DownloadsOptions } from "./downloads.ts";
import { type FoundModel, findModel } from "./find-model.ts";
import type { Computer } from "./fit.ts";
import { modelsFolder } from "./folders.ts";
import { createHub, type Hub } from "./hub.ts";
import { originsIn } from "./origin.ts";
import { createOwnFiles, type Memory, type OwnFiles } from "./own-files.ts";
import { entryOf } from "./pins.ts";
import { createScale, type Scale } from "./scale.ts";

/** What the desk needs of the engine. */
export interface DeskEngine {
  inspect(path: string): Promise<FileFacts>;
  /** Why a file is held back; undefined: it is not. */
  held(path: string): Promise<string | undefined>;
  release(path: string, options?: { safer: boolean }): void;
  unload(path?: string): Promise<void>;
  state(): EngineState;
  /** Of the graphics card, in bytes, once a model was loaded that could have used one. */
  readonly gpuMemory: Computer["gpu"];
}

export interface ModelDeskOptions extends Pick<DownloadsOptions, "environment" | "freeBytes"> {
  readonly dataFolder: string;
  readonly door: Door;
  readonly engine: DeskEngine;
  /** Remembers the files that are used where they are. */
  readonly memory: Memory;
  readonly settings: () => Settings;
  /** An empty model: none is the default any more. */
  readonly changeSettings: (change: { model: string }) => void;
  /** How the downloads go. */
  readonly onFetch: (state: FetchState) => void;
  /** Default: the catalogue that ships with Lares. */
  readonly catalogue?: readonly ModelEntry[];
  /** Default: what this computer has. */
  readonly computer?: () => Computer;
}

/** What the calls of the desk share. */
export interface DeskParts extends Pick<ModelDeskOptions, "engine" | "settings" | "changeSettings"> {
  /** The models folder. */
  readonly folder: string;
  readonly catalogue: readonly ModelEntry[];
  readonly hub: Hub;
  readonly own: OwnFiles;
  readonly scale: Scale;
  readonly downloads: Downloads;
  readonly computer: () => Computer;
  /** Ends with the desk, and when a person would have waited long enough for an answer of the hub. */
  patience(): AbortSignal;
  /** Throws model-missing. */
  find(wanted: string | undefined): Promise<FoundModel>;
  /** Of the catalogue, and those that were had from the hub. */
  entries(): Promise<ModelEntry[]>;
  close(): Promise<void>;
}

const PATIENCE_MS = 60_000;

export function createParts(options: ModelDeskOptions): DeskParts {
  const { dataFolder, door, engine, settings, changeSettings, freeBytes } = options;
  const { catalogue = readCatalogue(), environment = process.env, computer = thisComputer(engine) } = options;
  const folder = modelsFolder(dataFolder);
  const closing = new AbortController();

  function onChange(state: FetchState): void {
    if (state.state === "here" && settings().model === undefined) changeSettings({ model: state.modelId });
    options.onFetch(state);
  }

  const downloads = createDownloads({ modelsFolder: folder, door, environment, freeBytes, onChange });
  return {
    ...{ folder, catalogue, engine, settings, changeSettings, downloads, computer },
    hub: createHub({ door, environment }),
    own: createOwnFiles(options.memory),
    scale: createScale({ inspect: (path) => engine.inspect(path), settings, computer }),
    patience: () => AbortSignal.any([closing.signal, AbortSignal.timeout(PATIENCE_MS)]),
    find: (wanted) => findModel({ dataFolder, wanted, catalogue }),
    entries: async () => [...catalogue, ...(await originsIn(folder)).map(entryOf)],
    async close() {
      closing.abort();
      await downloads.close();
    },
  };
}

/** What the engine holds counts as free: another model would take its place. */
const thisComputer = (engine: DeskEngine) => (): Computer => ({
  total: totalmem(),
  free: process.availableMemory() + (engine.state().memoryBytes ?? 0),
  gpu: engine.gpuMemory,
});
