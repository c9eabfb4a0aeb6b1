import { open } from "node:fs/promises";
import { totalmem } from "node:os";
import { basename, dirname } from "node:path";
import { AppError } from "../../shared/errors.ts";
import type { Settings } from "../../shared/settings.ts";
import type { FetchState, ModelCard } from "../../shared/views.ts";
import { readModelFile } from "../engine/model-file.ts";
import { type ModelEntry, readCatalogue } from "./catalogue.ts";
import { createDownload, type Download, type DownloadOptions } from "./download.ts";
import { findModel } from "./find-model.ts";
import { modelsFolder } from "./folders.ts";
import { modelCards, plainName } from "./model-cards.ts";

export interface ModelDeskOptions extends Pick<DownloadOptions, "environment" | "freeBytes"> {
  readonly dataFolder: string;
  readonly settings: () => Settings;
  readonly changeSettings: (change: { model: string }) => void;
  /** How the downloads go. */
  readonly onFetch: (state: FetchState) => void;
  /** Told of a model file that a person chose, whatever was held against it. */
  readonly release?: (path: string) => void;
  /** Default: the catalogue that ships with Lares. */
  readonly catalogue?: readonly ModelEntry[];
  /** Of this computer, in bytes. */
  readonly memoryBytes?: number;
}

/** The models of this computer, as a person sees and changes them. */
export function createModelDesk(options: ModelDeskOptions) {
  const { dataFolder, settings, changeSettings, memoryBytes = totalmem(), catalogue = readCatalogue() } = options;
  const folder = modelsFolder(dataFolder);
  const downloads = new Map<string, Download>();
  const find = (wanted: string | undefined) => findModel({ dataFolder, wanted, catalogue });

  function onChange(state: FetchState): void {
    if (state.state === "here" && settings().model === undefined) changeSettings({ model: state.modelId });
    options.onFetch(state);
  }

  function download(modelId: string): Download {
    const entry = catalogue.find(({ id }) => id === modelId);
    if (!entry) throw new AppError("not-found", `The catalogue has no model "${modelId}". Choose one of the list.`);
    const { environment = process.env, freeBytes } = options;
    const one =
      downloads.get(modelId) ?? createDownload({ entry, modelsFolder: folder, onChange, environment, freeBytes });
    downloads.set(modelId, one);
    return one;
  }

  return {
    /** Also what the computer has: bytes. */
    async list(): Promise<{ models: ModelCard[]; memoryBytes: number }> {
      const chosen = await find(settings().model).then(
        ({ path }) => path,
        () => undefined, // it is not there: then none is chosen
      );
      const { contextTokens } = settings();
      const fetchOf = (modelId: string) => downloads.get(modelId)?.state();
      const models = await modelCards({ folder, catalogue, chosen, fetchOf, contextTokens, memoryBytes });
      return { models, memoryBytes };
    },
    /** Starts, or goes on where a pause left off. Throws not-found. */
    fetch: (modelId: string): void => download(modelId).start(),
    pause: (modelId: string): void => downloads.get(modelId)?.pause(),
    /** Downloads of this run of the app. */
    fetches: (): FetchState[] => [...downloads.values()].map((one) => one.state()),
    /** Makes a model the default for new chats. Throws model-missing, model-invalid. */
    async use(model: string): Promise<{ name: string }> {
      const { path, entry } = await find(model);
      await requireGguf(path);
      options.release?.(path);
      changeSettings({ model: dirname(path) === folder ? (entry?.id ?? basename(path)) : path });
      return { name: entry?.name ?? plainName(path) };
    },
    /** Pauses all downloads; resolves when each has let go of its part. */
    async close(): Promise<void> {
      for (const one of downloads.values()) one.pause();
      await Promise.all([...downloads.values()].map((one) => one.settled()));
    },
  };
}

/** What can be said of a file without loading it: the engine's child looks closer. */
async function requireGguf(path: string): Promise<void> {
  await readModelFile(path);
  const file = await open(path).catch((cause: unknown) => {
    throw new AppError("model-missing", `The model ${path} cannot be read. Check its permissions.`, cause);
  });
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    if (buffer.toString("latin1") === "GGUF") return;
  } finally {
    await file.close();
  }
  throw new AppError("model-invalid", `${path} is not a model: its first bytes are not GGUF. Choose a .gguf file.`);
}
