import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { FetchState, ModelCard } from "../../shared/views.ts";
import type { ModelEntry } from "./catalogue.ts";
import { listModels } from "./find-model.ts";
import { fitOf, memoryNeeded } from "./fit.ts";
import { bytesLeft } from "./part-folder.ts";

export interface CardsOptions {
  /** The models folder. */
  readonly folder: string;
  readonly catalogue: readonly ModelEntry[];
  /** The path of the model that a new chat uses. */
  readonly chosen: string | undefined;
  /** How the download of a model goes, if there is one. */
  readonly fetchOf: (modelId: string) => FetchState | undefined;
  readonly contextTokens: number;
  /** Of this computer, in bytes. */
  readonly memoryBytes: number;
}

/** What is known of a model before it is weighed. */
type Facts = Pick<ModelCard, "id" | "name" | "bytes" | "state" | "done"> & {
  readonly path: string;
  readonly entry?: ModelEntry;
};

/** The models of the catalogue in its order, then the other files of the models folder, then the chosen one if it is elsewhere. */
export async function modelCards(options: CardsOptions): Promise<ModelCard[]> {
  const { folder, catalogue, chosen } = options;
  const entries = await Promise.all(catalogue.map((entry) => known(entry, options)));
  const here = entries.flatMap(({ state, path }) => (state === "here" ? [path] : []));
  const inside = (await listModels(folder)).map((name) => join(folder, name));
  const outside = chosen !== undefined && dirname(chosen) !== folder ? [chosen] : [];
  const files = [...inside, ...outside].filter((path) => !here.includes(path));
  const others = await Promise.all(files.map((path) => described(path, folder)));
  return [...entries, ...others].map((facts) => weighed(facts, options));
}

async function known(entry: ModelEntry, { folder, fetchOf }: CardsOptions): Promise<Facts> {
  const { id, name, file, bytes } = entry;
  const path = join(folder, file);
  const facts = { id, name, bytes, path, entry };
  const download = fetchOf(id);
  const isRunning = download?.state === "fetching" || download?.state === "checking";
  if (isRunning) return { ...facts, state: "fetching", done: download.done };
  if ((await sizeOf(path)) === bytes) return { ...facts, state: "here", done: bytes };
  const done = await bytesLeft(path);
  return { ...facts, state: done > 0 ? "paused" : "absent", done };
}

/** A file that the catalogue does not know; outside the models folder its path is its id. */
async function described(path: string, folder: string): Promise<Facts> {
  const bytes = await sizeOf(path);
  const id = dirname(path) === folder ? basename(path) : path;
  return { id, name: plainName(path), bytes, state: "here", done: bytes, path };
}

function weighed({ path, entry, ...plain }: Facts, options: CardsOptions): ModelCard {
  const { catalogue, chosen, contextTokens, memoryBytes } = options;
  const needed = memoryNeeded(plain.bytes, entry?.memory, contextTokens);
  return {
    ...plain,
    ...(entry && { licence: entry.licence }),
    ...(entry?.about && { about: entry.about }),
    memoryBytes: needed,
    fit: fitOf(needed, memoryBytes),
    suggested: entry !== undefined && entry === catalogue[0],
    chosen: path === chosen,
  };
}

/** What a file that the catalogue does not know is called. */
export const plainName = (path: string): string => basename(path).replace(/\.gguf$/i, "");

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0, // not there, or gone between the list and the look
  );
