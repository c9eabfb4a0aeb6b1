import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, open, readlink, realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, posix, relative, sep } from "node:path";
import { AppError } from "../../shared/errors.ts";

/** A regular file of the workspace, open for reading. Whoever has it closes its handle. */
export interface OpenFile {
  readonly handle: FileHandle;
  /** Relative to the workspace, with `/`. */
  readonly path: string;
  readonly bytes: number;
}

/** A folder of the workspace. */
export interface OpenFolder {
  /** Relative to the workspace, with `/`; "." is the workspace itself. */
  readonly path: string;
  /** What to read its entries from: stays this very folder until `close`, whatever happens to its name. */
  readonly location: string;
  close(): Promise<void>;
}

const longestPath = 4096;
const longestName = 255;
/** Control characters, and those that turn the direction of writing: a name with them is not what it looks like. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unseen = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
/** Names that Windows gives to devices, with any ending. They are refused everywhere, so that a workspace can move. */
const device = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\.|$)/i;

/**
 * The words of a path, before any disk is asked: what it may not be on any system.
 * Returns it relative to the workspace, with `/`. Throws AppError path-refused.
 */
export function checkPath(workspace: string, path: string): string {
  const refuse = (why: string) => new AppError("path-refused", `The path ${quoted(path)} is refused: ${why}.`);
  if (unseen.test(path)) throw refuse("it contains characters that cannot be seen");
  if (Buffer.byteLength(path) > longestPath) throw refuse(`it is longer than ${longestPath} bytes`);
  const inside = isAbsolute(path) ? relative(workspace, path) : path;
  const clean = posix.normalize(inside.replaceAll("\\", "/")).replace(/(?<=.)\/$/, "");
  if (clean === ".." || clean.startsWith("../") || clean.startsWith("/")) throw refuse("it is outside the workspace");
  for (const name of clean.split("/")) {
    if (Buffer.byteLength(name) > longestName) throw refuse(`a name in it is longer than ${longestName} bytes`);
    if (name.includes(":")) throw refuse('":" names a drive or a stream');
    if (name !== "." && /[. ]$/.test(name)) throw refuse(`${quoted(name)} ends with a dot or a space`);
    if (device.test(name)) throw refuse(`${quoted(name)} is the name of a device`);
  }
  return clean;
}

/**
 * The one gate between a path that a model wrote and the disk: opens a regular file of the workspace without ever waiting.
 * What was opened is checked, not its name, so that nothing can be exchanged in between; a link at the end of a path is
 * not followed. Throws AppError path-refused (outside, a link, not a file), not-found, or tool-failed (no permission).
 */
export async function openFile(workspace: string, path: string): Promise<OpenFile> {
  return openInside(workspace, path, "file");
}

/** The same gate for a folder that is to be listed. */
export async function openFolder(workspace: string, path: string): Promise<OpenFolder> {
  const { handle, path: clean, location } = await openInside(workspace, path, "folder");
  return { path: clean, location, close: () => handle.close() };
}

async function openInside(workspace: string, path: string, kind: "file" | "folder") {
  const clean = checkPath(workspace, path);
  const root = await realpath(workspace).catch((thrown: unknown) => {
    throw new AppError("not-found", `The workspace ${workspace} is not there. Choose another folder.`, thrown);
  });
  const { handle, name } = await openName(root, clean);
  try {
    const found = await handle.stat({ bigint: true });
    if (kind === "file" ? !found.isFile() : !found.isDirectory()) throw notOfKind(clean, kind, found);
    const { real, location } = await whereIs(handle, name, found);
    if (!isWithin(root, real)) throw new AppError("path-refused", `${quoted(clean)} leads out of the workspace.`);
    if (await isOfLares(root, kind === "file" ? dirname(real) : real))
      throw new AppError("path-refused", `${quoted(clean)} is of Lares itself: chats and keys are not read as files.`);
    return { handle, path: clean, location, bytes: Number(found.size) };
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants; // Windows has only the first

/** Opens a name as it is written or, if there is none, in the other Unicode spelling of its accents. */
async function openName(root: string, clean: string): Promise<{ handle: FileHandle; name: string }> {
  const spellings = new Set([clean, clean.normalize("NFC"), clean.normalize("NFD")]);
  let failure: unknown;
  for (const spelling of spellings) {
    const name = join(root, spelling);
    try {
      return { handle: await open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY), name };
    } catch (thrown) {
      failure ??= thrown;
      if (codeOf(thrown) !== "ENOENT") break;
    }
  }
  throw cannotOpen(clean, failure);
}

/**
 * Where an open file really is, and a way to it that no exchange of names can bend. On Linux the kernel says it;
 * elsewhere its real path is taken if that is still the same file.
 */
async function whereIs(
  handle: FileHandle,
  name: string,
  found: BigIntStats,
): Promise<{ real: string; location: string }> {
  if (process.platform === "linux") {
    const location = `/proc/self/fd/${handle.fd}`;
    return { real: await readlink(location), location };
  }
  const real = await realpath(name);
  const there = await stat(real, { bigint: true });
  if (there.dev === found.dev && there.ino === found.ino) return { real, location: real };
  throw new AppError("path-refused", `${quoted(name)} was exchanged while it was opened. Try again.`);
}

/** Whether a folder, or one between it and the workspace, is where some Lares keeps its data. */
async function isOfLares(root: string, folder: string): Promise<boolean> {
  for (let at = folder; ; at = dirname(at)) {
    if (await isThere(join(at, DATABASE))) return true;
    if (at === root || at === dirname(at)) return false;
  }
}

const DATABASE = "lares.db";

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

function isWithin(root: string, path: string): boolean {
  const inside = relative(root, path);
  return inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

function cannotOpen(path: string, thrown: unknown): AppError {
  const name = quoted(path);
  const code = codeOf(thrown);
  if (code === "ENOENT" || code === "ENOTDIR")
    return new AppError("not-found", `There is no ${name} in the workspace.`, thrown);
  if (code === "ELOOP") return new AppError("path-refused", `${name} is a link. Name the file it stands for.`, thrown);
  if (code === "ENXIO") return new AppError("path-refused", `${name} is not a regular file.`, thrown);
  return new AppError("tool-failed", `${name} cannot be opened (${code}). Check its permissions.`, thrown);
}

function notOfKind(path: string, kind: "file" | "folder", found: BigIntStats): AppError {
  const name = quoted(path);
  if (kind === "folder") return new AppError("path-refused", `${name} is not a folder.`);
  if (!found.isDirectory()) return new AppError("path-refused", `${name} is not a regular file.`);
  return new AppError("path-refused", `${name} is a folder. Name a file in it; list_files shows them.`);
}

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown";

/** A name as it can be shown: in quotes, with escapes, and not endless. */
const quoted = (name: string): string => JSON.stringify(name.length > 120 ? `${name.slice(0, 119)}…` : name);
