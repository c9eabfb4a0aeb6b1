import { readdir, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { AppError } from "../../shared/errors.ts";
import { type ModelEntry, readCatalogue } from "./catalogue.ts";
import { modelsFolder } from "./folders.ts";
import { isLaterPart } from "./parts.ts";

export interface FoundModel {
  /** Absolute. */
  readonly path: string;
  /** What the catalogue knows of it, when it has a file of this name and size. */
  readonly entry?: ModelEntry;
}

/** File names of the models in a folder, in alphabetical order, a split one by its first part; none when there is no folder. */
export async function listModels(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.toLowerCase().endsWith(".gguf") && !isLaterPart(name)).sort();
}

/**
 * Finds a model file on this computer. `wanted` is an id of the catalogue, a file name in `<data>/models`, or a path;
 * without it, the first one of the catalogue that is there, or the only one that is there.
 * Never fetches. Throws AppError model-missing, which lists what there is and says the next step.
 */
export async function findModel({
  dataFolder,
  wanted,
  catalogue = readCatalogue(),
}: {
  dataFolder: string;
  wanted?: string | undefined;
  catalogue?: readonly ModelEntry[];
}): Promise<FoundModel> {
  const folder = modelsFolder(dataFolder);
  const there = await listModels(folder);
  const name = wanted === undefined ? preferred(there, catalogue) : nameOf(wanted, there, catalogue);
  if (name !== undefined) return describe(join(folder, name), catalogue);
  if (wanted !== undefined && (await isFile(wanted))) return describe(resolve(wanted), catalogue);
  throw missing(wanted, there, folder, catalogue);
}

/** The file name that an id of the catalogue or a file name stands for, if it is in the folder. */
function nameOf(wanted: string, there: readonly string[], catalogue: readonly ModelEntry[]): string | undefined {
  const file = catalogue.find(({ id }) => id === wanted)?.file ?? wanted;
  return there.find((name) => name === file);
}

function preferred(there: readonly string[], catalogue: readonly ModelEntry[]): string | undefined {
  const known = catalogue.find(({ file }) => there.includes(file))?.file;
  return known ?? (there.length === 1 ? there[0] : undefined);
}

async function describe(path: string, catalogue: readonly ModelEntry[]): Promise<FoundModel> {
  const { size } = await stat(path);
  const entry = catalogue.find(
    ({ file, bytes, sha256 }) => basename(path) === file && (bytes === size || sha256 === undefined),
  );
  return entry === undefined ? { path } : { path, entry };
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

function missing(
  wanted: string | undefined,
  there: readonly string[],
  folder: string,
  catalogue: readonly ModelEntry[],
): AppError {
  const known = catalogue.find(({ id }) => id === wanted);
  const what = wanted === undefined ? "No model is chosen" : `There is no model "${wanted}" on this computer`;
  const list = there.length === 0 ? `${folder} has no model yet` : `In ${folder}: ${there.join(", ")}`;
  const fetching = known === undefined ? "fetch the starter model" : `fetch it (${Math.round(known.bytes / 1e6)} MB)`;
  return new AppError(
    "model-missing",
    `${what}. ${list}. Name a file of that folder or the path of a .gguf file, or ${fetching}.`,
  );
}
