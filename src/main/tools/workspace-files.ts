import type { Dirent } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { join, posix, sep } from "node:path";
import { AppError } from "../../shared/errors.ts";
import { mentionedElsewhere, mentionedFiles } from "./mentions.ts";
import { checkPath, openFolder } from "./paths.ts";

export interface WorkspaceFile {
  /** Relative to the workspace, with `/`. */
  readonly path: string;
  readonly bytes: number;
}

export interface WorkspaceListing {
  /** Regular files that the tools can open: nearest first, then by name. */
  readonly files: readonly WorkspaceFile[];
  /** Links, pipes, devices and sockets: there, but not to be read. */
  readonly others: readonly string[];
  /** False when a limit ended the search. */
  readonly complete: boolean;
}

const mostFiles = 2000;
const mostEntries = 20_000;
const deepest = 8;
const mostNamed = 3;
const skippedFolders: readonly string[] = ["node_modules"];

/**
 * The files below a folder of the workspace, folder by folder: at most 2,000, at most 8 folders deep, without hidden folders
 * and node_modules. Links are not followed. Throws AppError when the folder itself cannot be listed.
 */
export async function listWorkspace(workspace: string, signal: AbortSignal, folder = "."): Promise<WorkspaceListing> {
  const files: WorkspaceFile[] = [];
  const others: string[] = [];
  const waiting = [{ path: folder, depth: 0 }];
  let entries = 0;
  let complete = true;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    signal.throwIfAborted();
    const found = await readFolder(workspace, next.path, mostEntries - entries).catch((thrown: unknown) => {
      if (next.depth === 0 || !(thrown instanceof AppError)) throw thrown;
      return undefined; // gone, or closed to us: one folder does not spoil the list
    });
    if (found === undefined) continue;
    entries += found.entries;
    files.push(...found.files);
    others.push(...found.others);
    complete &&= found.complete && (next.depth < deepest || found.folders.length === 0);
    if (next.depth < deepest) waiting.push(...found.folders.map((path) => ({ path, depth: next.depth + 1 })));
    if (files.length <= mostFiles) continue;
    complete = false;
    break;
  }
  return { files: files.slice(0, mostFiles), others: others.slice(0, mostFiles), complete };
}

/**
 * What a person's message names: files of the workspace, in its order, at most three. What stands there but may not be
 * read, and paths that lead out, are named too, after them: the reading is refused with words, instead of in silence.
 */
export async function namedFiles(text: string, workspace: string): Promise<string[]> {
  const { files, others } = await listWorkspace(workspace, new AbortController().signal);
  const said = text.replaceAll(join(workspace, sep), ""); // an absolute path names the same file
  const here = mentionedFiles(said, [...files.map(({ path }) => path), ...others]);
  return [...here, ...mentionedElsewhere(said, others)].slice(0, mostNamed);
}

/** One folder: its files with their sizes, and the folders to go into. */
async function readFolder(workspace: string, path: string, most: number) {
  const folder = await openFolder(workspace, path);
  try {
    const { entries, complete } = await readEntries(folder.location, most);
    const pathOf = (entry: Dirent) => posix.join(folder.path, entry.name);
    const usable = entries.filter((entry) => canBeOpened(workspace, pathOf(entry)));
    const files = await Promise.all(
      usable
        .filter((entry) => entry.isFile())
        .map(async (entry) => ({ path: pathOf(entry), bytes: await sizeOf(join(folder.location, entry.name)) })),
    );
    const folders = usable.filter((entry) => entry.isDirectory() && !isSkipped(entry.name)).map(pathOf);
    const others = usable.filter((entry) => !entry.isFile() && !entry.isDirectory()).map(pathOf);
    return { files, folders, others, entries: entries.length, complete };
  } finally {
    await folder.close();
  }
}

async function readEntries(location: string, most: number): Promise<{ entries: Dirent[]; complete: boolean }> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(location)) {
    if (entries.length === most) return { entries: entries.sort(byName), complete: false };
    entries.push(entry);
  }
  return { entries: entries.sort(byName), complete: true };
}

const byName = (one: Dirent, other: Dirent): number => (one.name < other.name ? -1 : 1);

const isSkipped = (name: string): boolean => name.startsWith(".") || skippedFolders.includes(name);

function canBeOpened(workspace: string, path: string): boolean {
  try {
    return checkPath(workspace, path) === path;
  } catch {
    return false;
  }
}

const sizeOf = (location: string): Promise<number> =>
  lstat(location).then(
    ({ size }) => size,
    () => 0, // gone meanwhile
  );
