import { statfs } from "node:fs/promises";
import { AppError } from "../../shared/errors.ts";

/** Free bytes of a folder's disk. */
export type FreeBytes = (folder: string) => Promise<number>;

/** Left free whatever is fetched: the chats are on the same disk, and must be able to grow. */
const MARGIN = 64 * 1024 * 1024;

/** Throws disk-full with both figures, before anything is written that would not fit. */
export async function requireSpace(folder: string, bytes: number, freeBytes: FreeBytes = freeOnDisk): Promise<void> {
  const free = await freeBytes(folder);
  if (free >= bytes + MARGIN) return;
  const megabytes = (count: number) => `${Math.ceil(count / 1_000_000)} MB`;
  throw new AppError(
    "disk-full",
    `Disk full: ${megabytes(free)} left, needs ${megabytes(bytes + MARGIN)}. Free some room and try again.`,
  );
}

async function freeOnDisk(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
