import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { newId } from "../lib/clock.ts";

/**
 * The folder in which a model file grows: `<file>.part`. A process that works in it carries its own number in the name
 * (`<file>.part-<pid>-<id>`), and takes it over by renaming, which only one process can do. So two never write to the
 * same bytes, a killed one leaves nothing locked, and what it left is gone on with.
 */
export interface PartFolder {
  readonly path: string;
  /** Leaves what is there for the next try. */
  release(): Promise<void>;
  /** Everything arrived: removes this folder and what dead processes left behind. */
  finish(): Promise<void>;
}

/** The file in a part folder that a later try goes on with. Everything else there is begun again. */
export const growingFile = (folder: string): string => join(folder, "body");

/** Bytes of the file that earlier tries have left; 0 when there is nothing to go on with. */
export async function bytesLeft(target: string): Promise<number> {
  const shared = `${target}.part`;
  const folders = [shared, ...(await orphans(shared).catch(() => []))]; // without a models folder there are none
  const sizes = folders.map((folder) =>
    stat(growingFile(folder)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return Math.max(...(await Promise.all(sizes)));
}

/** Throws away what earlier tries have left of a file. */
export async function removeParts(target: string): Promise<void> {
  const shared = `${target}.part`;
  for (const folder of [shared, ...(await orphans(shared).catch(() => []))]) await remove(folder);
}

export async function claimPartFolder(target: string): Promise<PartFolder> {
  const shared = `${target}.part`;
  const path = `${shared}-${process.pid}-${newId()}`;
  if (!(await takeOver([shared, ...(await orphans(shared))], path))) await mkdir(path, { recursive: true });
  return {
    path,
    async release() {
      const isEmpty = (await readdir(path)).length === 0;
      if (!isEmpty && (await takeOver([path], shared))) return;
      // Another process has left its part there. A disk that cannot even rename keeps what came: the next run finds it.
      if (isEmpty || existsSync(shared)) await remove(path);
    },
    async finish() {
      for (const folder of [path, shared, ...(await orphans(shared))]) await remove(folder);
    },
  };
}

/** Renames the first that is still there. */
async function takeOver(folders: readonly string[], to: string): Promise<boolean> {
  for (const folder of folders) {
    const taken = await rename(folder, to).then(
      () => true,
      () => false,
    );
    if (taken) return true;
  }
  return false;
}

async function orphans(shared: string): Promise<string[]> {
  const names = await readdir(dirname(shared));
  return names
    .filter((name) => name.startsWith(`${basename(shared)}-`) && !isAlive(Number(name.split("-").at(-2))))
    .map((name) => join(dirname(shared), name));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return !(thrown instanceof Error && "code" in thrown && thrown.code === "ESRCH"); // EPERM: alive, another person's
  }
}

const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });
