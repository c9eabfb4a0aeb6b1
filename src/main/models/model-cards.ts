import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { FetchState, ModelCard } from "../../shared/views.ts";
import type { ModelEntry } from "./catalogue.ts";
import { listModels } from "./find-model.ts";
import { originsIn } from "./origin.ts";
import { bytesLeft } from "./part-folder.ts";
import { partNames } from "./parts.ts";
import { entryOf, knownPins } from "./pins.ts";

/** What a model takes of this computer, and how well that goes. */
export type Weight = Pick<ModelCard, "memory" | "memoryBytes" | "largestWindow" | "fit">;

export interface CardsOptions {
  /** The models folder. */
  readonly folder: string;
  readonly catalogue: readonly ModelEntry[];
  /** Files that are used where they are. */
  readonly own: readonly string[];
  /** The path of the model that a new chat uses. */
  readonly chosen: string | undefined;
  /** How the download of a model goes, if there is one. */
  readonly fetchOf: (modelId: string) => FetchState | undefined;
  readonly weigh: (path: string, bytes: number, entry: ModelEntry | undefined) => Promise<Weight>;
  /** Why the engine does not load a file; undefined: it does. */
  readonly heldOf: (path: string) => Promise<string | undefined>;
  /** Of this computer, in bytes. */
  readonly memoryBytes: number;
}

/** What is known of a model before it is weighed. */
type Facts = Pick<ModelCard, "id" | "name" | "bytes" | "state" | "done"> & {
  readonly path: string;
  readonly entry?: ModelEntry;
};

/** The models of the catalogue in its order, then those of the hub and the other files of the models folder, then those that are elsewhere. */
export async function modelCards(options: CardsOptions): Promise<ModelCard[]> {
  const { folder, catalogue, chosen, own } = options;
  const entries = [...catalogue, ...(await hubEntries(folder, catalogue))];
  const known = await Promise.all(entries.map((entry) => described(entry, options)));
  const here = known.flatMap(({ state, path }) => (state === "here" ? [path] : []));
  const inside = (await listModels(folder)).map((name) => join(folder, name));
  const outside = chosen !== undefined && dirname(chosen) !== folder && !own.includes(chosen) ? [chosen] : [];
  const files = [...inside.filter((path) => !here.includes(path)), ...own, ...outside];
  const others = await Promise.all(files.map((path) => seen(path, options)));
  const cards = await Promise.all([...known, ...others].map((facts) => weighed(facts, options)));
  const suggested = suggestion(cards, options);
  return cards.map((card) => ({ ...card, suggested: card.id === suggested }));
}

async function hubEntries(folder: string, catalogue: readonly ModelEntry[]): Promise<ModelEntry[]> {
  const entries = (await originsIn(folder)).map(entryOf);
  return entries.filter(({ file }) => !catalogue.some((entry) => entry.file === file));
}

async function described(entry: ModelEntry, { folder, fetchOf }: CardsOptions): Promise<Facts> {
  const { id, name, file } = entry;
  const path = join(folder, file);
  const pins = await knownPins(entry, folder);
  const bytes = pins?.reduce((sum, pin) => sum + pin.bytes, 0) ?? entry.bytes;
  const facts = { id, name, bytes, path, entry };
  const download = fetchOf(id);
  const isRunning = download && ["queued", "fetching", "checking"].includes(download.state);
  if (isRunning) return { ...facts, state: "fetching", done: download.done };
  const sizes = await Promise.all((pins ?? [{ file }]).map((pin) => sizeOf(join(folder, pin.file))));
  const isHere = sizes.every((size, at) => size > 0 && size === (pins?.[at]?.bytes ?? size));
  if (isHere) return { ...facts, bytes: sum(sizes), state: "here", done: sum(sizes) };
  const left = await Promise.all((pins ?? [{ file }]).map((pin) => bytesLeft(join(folder, pin.file))));
  const whole = sizes.filter((size, at) => size === pins?.[at]?.bytes);
  const done = sum(left) + (pins && pins.length > 1 ? sum(whole) : 0);
  return { ...facts, state: done > 0 ? "paused" : "absent", done };
}

/** A file that no entry knows; outside the models folder its path is its id. */
async function seen(path: string, { folder, fetchOf }: CardsOptions): Promise<Facts> {
  const names = partNames(basename(path));
  const bytes = sum(await Promise.all(names.map((name) => sizeOf(join(dirname(path), name)))));
  const id = dirname(path) === folder ? basename(path) : path;
  const name = plainName(path);
  if (bytes === 0) return { id, name, bytes, state: "absent", done: 0, path };
  const download = fetchOf(id);
  const isCopied = download?.state === "fetching";
  return { id, name, bytes, state: isCopied ? "fetching" : "here", done: isCopied ? download.done : bytes, path };
}

async function weighed({ path, entry, ...plain }: Facts, options: CardsOptions): Promise<ModelCard> {
  const isGone = plain.state === "absent" && !entry;
  const held = isGone ? gone(path) : await options.heldOf(path);
  return {
    ...plain,
    ...(entry?.licence !== undefined && { licence: entry.licence }),
    ...(entry?.about && { about: entry.about }),
    ...(await options.weigh(path, plain.bytes, entry)),
    untried: entry?.untried ?? false,
    ...(held !== undefined && { held }),
    suggested: false,
    chosen: path === options.chosen,
  };
}

const gone = (path: string): string => `${path} is not there any more. Put it back, or remove it from the list.`;

/** So much of the memory leaves a processor fast enough, and everything else on the computer its room. */
const SHARE = 0.25;

/** The best for everyone that takes this computer no trouble; the starter, where none does. */
function suggestion(cards: readonly ModelCard[], { catalogue, memoryBytes }: CardsOptions): string | undefined {
  const fits = ({ id }: ModelEntry) => {
    const card = cards.find((one) => one.id === id);
    return card?.fit === "well" && card.memoryBytes <= SHARE * memoryBytes;
  };
  const entry = catalogue.findLast((one) => one.suggested && fits(one)) ?? catalogue[0];
  return entry?.id;
}

/** What a file that no entry knows is called. */
export const plainName = (path: string): string => basename(path).replace(/(-\d{5}-of-\d{5})?\.gguf$/i, "");

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0, // not there, or gone between the list and the look
  );
