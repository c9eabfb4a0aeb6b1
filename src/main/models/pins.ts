import { AppError } from "../../shared/errors.ts";
import type { HubSource, ModelEntry, ModelSource } from "./catalogue.ts";
import type { Hub, Repository } from "./hub.ts";
import { type Origin, readOrigin, writeOrigin } from "./origin.ts";
import { partNames } from "./parts.ts";

/** One file that must be in the models folder, and what it must be: nothing else is taken for it. */
export interface Pin {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly sources: readonly ModelSource[];
}

/**
 * The files of a model. What the catalogue has no hash for, the hub is asked once, before the first byte, and the answer
 * is kept beside the file. Throws AppError (not-found, download-failed, offline, …).
 */
export async function pinsOf(entry: ModelEntry, folder: string, hub: Hub, signal: AbortSignal): Promise<Pin[]> {
  const { file, bytes, sha256, sources } = entry;
  if (sha256 !== undefined) return [{ file, bytes, sha256, sources }];
  return pinsIn((await knownOrigin(entry, folder)) ?? (await askOrigin(entry, folder, hub, signal)));
}

/** What is known of the files of a model without asking anyone. */
export async function knownPins(entry: ModelEntry, folder: string): Promise<Pin[] | undefined> {
  const { file, bytes, sha256, sources } = entry;
  if (sha256 !== undefined) return [{ file, bytes, sha256, sources }];
  const origin = await knownOrigin(entry, folder);
  return origin && pinsIn(origin);
}

const pinsIn = ({ repository, revision, files }: Origin): Pin[] =>
  files.map(({ path, file, bytes, sha256 }) => ({
    ...{ file, bytes, sha256 },
    sources: [{ kind: "hub", repository, revision, file: path }],
  }));

const hubSource = (entry: ModelEntry): HubSource | undefined => entry.sources.find((source) => source.kind === "hub");

async function knownOrigin(entry: ModelEntry, folder: string): Promise<Origin | undefined> {
  const origin = await readOrigin(folder, entry.file);
  const source = hubSource(entry);
  const isSame = origin?.repository === source?.repository && origin?.files[0]?.path === source?.file;
  return isSame ? origin : undefined;
}

async function askOrigin(entry: ModelEntry, folder: string, hub: Hub, signal: AbortSignal): Promise<Origin> {
  const source = hubSource(entry);
  if (!source) throw new AppError("not-found", `Nobody knows where ${entry.name} can be had. Choose another one.`);
  const origin = originOf(await hub.describe(source.repository, source.revision, signal), source.file, entry.file);
  await writeOrigin(folder, origin);
  return origin;
}

/** The origin of one file of a repository, with all its parts; here the first is called `as`. Throws not-found. */
export function originOf(repository: Repository, path: string, as: string): Origin {
  const names = partNames(as);
  const files = partNames(path).map((part, at) => {
    const stored = repository.files.find((one) => one.path === part);
    const file = names[at];
    if (stored && file !== undefined) return { ...stored, file };
    throw new AppError(
      "not-found",
      `${repository.name} has no ${part}, or does not say its hash. Choose another file of it.`,
    );
  });
  const { name, commit, licence } = repository;
  return { repository: name, revision: commit, ...(licence !== undefined && { licence }), files };
}

/** A model of the hub as an entry beside those of the catalogue: its file is its id. */
export function entryOf({ repository, revision, licence, files }: Origin): ModelEntry {
  const [first] = files;
  if (!first) throw new Error("an origin has a file");
  return {
    id: first.file,
    name: first.file.replace(/(-\d{5}-of-\d{5})?\.gguf$/i, ""),
    ...(licence !== undefined && { licence }),
    file: first.file,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    untried: true,
    sources: [{ kind: "hub", repository, revision, file: first.path }],
  };
}
