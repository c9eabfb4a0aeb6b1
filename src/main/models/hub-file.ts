import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { AppError } from "../../shared/errors.ts";
import { type ModelEntry, ModelFileName } from "./catalogue.ts";
import { FilePath, type Hub, RepositoryName } from "./hub.ts";
import { originsIn, writeOrigin } from "./origin.ts";
import { partNames } from "./parts.ts";
import { entryOf, originOf } from "./pins.ts";

/** A file of the hub, as a person or a search names it. */
export interface HubFileName {
  readonly repository: string;
  readonly file: string;
}

interface OrderOptions {
  readonly folder: string;
  readonly catalogue: readonly ModelEntry[];
  readonly hub: Hub;
  readonly signal: AbortSignal;
}

/**
 * Makes an entry of a file of the hub: the one of the catalogue, the one that was ordered before, or a new one, whose
 * origin is on disk when this resolves. Throws AppError (bad-request, not-found, download-failed, offline, …).
 */
export async function orderHubFile({ repository, file }: HubFileName, options: OrderOptions): Promise<ModelEntry> {
  const { folder, catalogue, hub, signal } = options;
  const [path = file] = partNames(file); // of a split model: the first part
  if (!RepositoryName.safeParse(repository).success || !FilePath.safeParse(path).success)
    throw new AppError(
      "bad-request",
      `"${repository}/${file}" is no model file of the hub. Write owner/name/file.gguf.`,
    );
  const known = catalogue.find(({ sources }) =>
    sources.some((source) => source.kind === "hub" && source.repository === repository && source.file === path),
  );
  if (known) return known;
  const origins = await originsIn(folder);
  const before = origins.find((one) => one.repository === repository && one.files[0]?.path === path);
  if (before) return entryOf(before);
  const name = freeName(repository, path, [...catalogue.map((entry) => entry.file), ...filesOf(origins)], folder);
  const origin = originOf(await hub.describe(repository, "main", signal), path, name);
  await writeOrigin(folder, origin);
  return entryOf(origin);
}

const filesOf = (origins: readonly { files: readonly { file: string }[] }[]): string[] =>
  origins.flatMap(({ files }) => files.map(({ file }) => file));

/** The file's own name; with its repository in front where another one has that name. */
function freeName(repository: string, path: string, taken: readonly string[], folder: string): string {
  const own = basename(path);
  const long = `${repository.replace("/", "-")}-${own}`;
  const isFree = (name: string) =>
    ModelFileName.safeParse(name).success &&
    partNames(name).every((part) => !taken.includes(part) && !existsSync(join(folder, part)));
  const name = [own, long].find(isFree);
  if (name !== undefined) return name;
  throw new AppError("bad-request", `There is a ${own} in the models folder already. Remove that one first.`);
}
