import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { replaceFile } from "../lib/atomic-write.ts";
import { diskError } from "../net/setback.ts";
import { ModelFileName, Sha256 } from "./catalogue.ts";
import { FilePath, RepositoryName } from "./hub.ts";

/**
 * Beside a model of the hub: where it comes from, and what its files must be. It is written before the first byte is
 * fetched, so that days later the same bytes are gone on with, and checked against what the hub said then.
 */
export const Origin = z.object({
  repository: RepositoryName,
  /** The commit. */
  revision: z.string().regex(/^[0-9a-f]{40}$/),
  licence: z.string().max(60).exactOptional(),
  /** All parts, the first one first. */
  files: z.array(z.object({ path: FilePath, file: ModelFileName, bytes: z.int().positive(), sha256: Sha256 })).min(1),
});
export type Origin = z.infer<typeof Origin>;

const ENDING = ".origin.json";
const originFile = (folder: string, file: string): string => join(folder, `${file}${ENDING}`);

/** The origin of a file in the models folder; undefined when there is none, or none that can be read. */
export async function readOrigin(folder: string, file: string): Promise<Origin | undefined> {
  const text = await readFile(originFile(folder, file), "utf8").catch(() => "null");
  return Origin.safeParse(parse(text)).data;
}

/** On disk when it resolves. Throws AppError (disk-full, disk-error). */
export async function writeOrigin(folder: string, origin: Origin): Promise<void> {
  const [first] = origin.files;
  if (!first) return;
  try {
    await mkdir(folder, { recursive: true });
    await replaceFile(originFile(folder, first.file), JSON.stringify(origin, undefined, 2));
  } catch (thrown) {
    throw diskError(thrown, folder) ?? thrown;
  }
}

export async function removeOrigin(folder: string, file: string): Promise<void> {
  await rm(originFile(folder, file), { force: true });
}

/** The origins of all models in a folder, by name. */
export async function originsIn(folder: string): Promise<Origin[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith(ENDING)).sort();
  const origins = await Promise.all(files.map((name) => readOrigin(folder, name.slice(0, -ENDING.length))));
  return origins.filter((origin) => origin !== undefined);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // half a file of another program: then there is no origin
  }
}
