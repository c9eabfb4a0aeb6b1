import { createHash, randomUUID } from "node:crypto";
import { renameSync } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../shared/errors.ts";
import type { OpenFile } from "./paths.ts";

const MOST_BYTES = 20_000_000;
/** Characters that are encoded and written at a time: nobody waits for a long result. */
const PIECE = 64 * 1024;
const PREFIX = "result:";
/** What begins with it is half written or on its way out: the next start removes it. */
const RUBBISH = "~";

/** The results of one chat. */
export interface ChatResults {
  /** Stores a result, at most 20 MB of it, and returns the name that `open` knows it by. It is on disk when it resolves. */
  keep(text: string): Promise<string>;
  /** Throws not-found. Whoever has the file closes its handle. */
  open(name: string): Promise<OpenFile>;
}

/** Whether a path that a model wrote means a kept result. No file of a workspace has such a name: `:` is refused there. */
export const isResultName = (path: string): boolean => path.startsWith(PREFIX);

/** Results of tools that are too long for a prompt, whole, a file each. A chat knows its own and no other's. */
export function createResultFiles(folder: string) {
  const folderOf = (sessionId: string) => join(folder, digestOf(sessionId, 32)); // on some disks A and a are one name
  const rubbish = () => join(folder, RUBBISH + randomUUID());

  async function keep(sessionId: string, text: string): Promise<string> {
    const home = folderOf(sessionId);
    const unfinished = rubbish();
    await mkdir(home, { recursive: true, mode: 0o700 });
    try {
      const digest = await writeWhole(unfinished, text);
      await rename(unfinished, join(home, `${digest}.txt`));
      await syncFolder(home);
      return PREFIX + digest;
    } catch (thrown) {
      await rm(unfinished, { force: true });
      throw thrown;
    }
  }

  async function openResult(sessionId: string, name: string): Promise<OpenFile> {
    const digest = name.slice(PREFIX.length);
    const none = (thrown?: unknown) =>
      new AppError("not-found", `This chat has no ${JSON.stringify(name.slice(0, 60))}. Run the tool again.`, thrown);
    if (!/^[0-9a-f]{16}$/.test(digest)) throw none();
    const handle = await open(join(folderOf(sessionId), `${digest}.txt`), "r").catch((thrown: unknown) => {
      throw none(thrown);
    });
    return { handle, path: name, bytes: (await handle.stat()).size };
  }

  return {
    of: (sessionId: string): ChatResults => ({
      keep: (text) => keep(sessionId, text),
      open: (name) => openResult(sessionId, name),
    }),

    /** The results of a chat are gone from their place when it returns; their room on the disk soon after. */
    async remove(sessionId: string): Promise<void> {
      const away = rubbish();
      if (isMoved(folderOf(sessionId), away)) await rm(away, { recursive: true, force: true });
    },

    /** Removes what the end of the last run left half written or half removed. */
    async sweep(): Promise<void> {
      const names = await readdir(folder).catch(() => []); // there is no folder before the first long result
      for (const name of names.filter((name) => name.startsWith(RUBBISH))) {
        await rm(join(folder, name), { recursive: true, force: true });
      }
    },
  };
}

export type ResultFiles = ReturnType<typeof createResultFiles>;

const digestOf = (text: string, length: number): string =>
  createHash("sha256").update(text).digest("hex").slice(0, length);

/** Piece by piece: a result may be longer than it is good to hold twice. Returns its digest. */
async function writeWhole(path: string, text: string): Promise<string> {
  const hash = createHash("sha256");
  const file = await open(path, "wx", 0o600);
  try {
    for (const piece of piecesOf(text)) {
      hash.update(piece);
      await file.writeFile(piece);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return hash.digest("hex").slice(0, 16);
}

function* piecesOf(text: string): Generator<Buffer> {
  let bytes = 0;
  for (let at = 0; at < text.length; ) {
    const end = isFirstHalf(text, at + PIECE - 1) ? at + PIECE + 1 : at + PIECE;
    const piece = Buffer.from(text.slice(at, end));
    bytes += piece.length;
    if (bytes > MOST_BYTES) return yield Buffer.from(`\n[cut: more than ${MOST_BYTES / 1e6} MB]`);
    yield piece;
    at = end;
  }
}

/** Of a character that takes two places in a string. */
const isFirstHalf = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xd800;

/** A new name is durable once its folder is. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return; // where folders cannot be opened
  const handle: FileHandle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}

function isMoved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return false;
    throw thrown;
  }
}
