import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { FetchState } from "../../shared/views.ts";
import type { ModelEntry } from "./catalogue.ts";
import { copyModel } from "./copy-model.ts";
import { createDownload, type Download, type Task } from "./download.ts";
import { type FetchModelOptions, fetchModel } from "./fetch-model.ts";
import { removeFile } from "./genuine.ts";
import { removeOrigin } from "./origin.ts";
import { bytesLeft, removeParts } from "./part-folder.ts";
import { knownPins } from "./pins.ts";
import { createSlots } from "./slots.ts";
import type { WholeModel } from "./whole-model.ts";

export interface DownloadsOptions extends Omit<FetchModelOptions, "signal" | "onProgress"> {
  /** Told how each of them goes. */
  readonly onChange: (state: FetchState) => void;
}

/** The downloads of this run of the app, by model. */
export interface Downloads {
  get(modelId: string): Download | undefined;
  /** The one of this entry, begun or not. */
  of(entry: ModelEntry): Download;
  /** A copy of a file of one's own into the models folder. */
  copyOf(model: WholeModel): Download;
  forget(modelId: string): void;
  states(): FetchState[];
  /** Pauses all; resolves when each has let go of its part. */
  close(): Promise<void>;
}

/** More at once would only share the line, and make each of them late. */
const AT_ONCE = 2;

export function createDownloads(options: DownloadsOptions): Downloads {
  const { onChange } = options;
  const slots = createSlots(AT_ONCE);
  const all = new Map<string, Download>();

  function begin(task: Task): Download {
    const one = all.get(task.modelId) ?? createDownload({ task, slots, onChange });
    all.set(task.modelId, one);
    return one;
  }

  return {
    get: (modelId) => all.get(modelId),
    of: (entry) => begin(fetching(entry, options)),
    copyOf(model) {
      all.delete(basename(model.path)); // an earlier copy of another file with this name
      return begin(copying(model, options));
    },
    forget: (modelId) => void all.delete(modelId),
    states: () => [...all.values()].map((one) => one.state()),
    async close() {
      for (const one of all.values()) one.pause();
      await Promise.all([...all.values()].map((one) => one.settled()));
    },
  };
}

function fetching(entry: ModelEntry, options: DownloadsOptions): Task {
  const { modelsFolder } = options;
  const files = async () => {
    const pins = (await knownPins(entry, modelsFolder)) ?? [{ file: entry.file, bytes: entry.bytes }];
    return pins.map(({ file, bytes }) => ({ path: join(modelsFolder, file), bytes, isPart: pins.length > 1 }));
  };
  return {
    modelId: entry.id,
    total: entry.bytes,
    async bring(signal, onProgress) {
      await fetchModel(entry, { ...options, signal, onProgress });
    },
    async left() {
      const sizes = (await files()).map(async ({ path, bytes, isPart }) =>
        isPart && (await isWhole(path, bytes)) ? bytes : bytesLeft(path),
      );
      return (await Promise.all(sizes)).reduce((sum, one) => sum + one, 0);
    },
    async discard() {
      for (const { path, bytes, isPart } of await files()) {
        await removeParts(path);
        if (isPart && (await isWhole(path, bytes))) await removeFile(path); // half of a model is no model
      }
      await removeOrigin(modelsFolder, entry.file);
    },
  };
}

function copying(model: WholeModel, { modelsFolder, freeBytes }: DownloadsOptions): Task {
  const targets = model.parts.map(({ path }) => join(modelsFolder, basename(path)));
  return {
    modelId: basename(model.path),
    total: model.bytes,
    bring: (signal, onProgress) => copyModel(model, { modelsFolder, signal, onProgress, freeBytes }),
    left: async () => 0, // a copy is made anew
    async discard() {
      for (const target of targets) await removeParts(target);
    },
  };
}

const isWhole = (path: string, bytes: number): Promise<boolean> =>
  stat(path).then(
    ({ size }) => size === bytes,
    () => false,
  );
