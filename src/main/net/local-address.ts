import { randomBytes } from "node:crypto";
import { lstatSync, mkdtempSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A socket has a name of 104 or 108 bytes, with its end. */
const LONGEST_NAME = 100;

interface Place {
  readonly platform: NodeJS.Platform;
  readonly environment: NodeJS.ProcessEnv;
}

const here: Place = { platform: process.platform, environment: process.env };

const inside = (folder: string): string => join(folder, "lares.sock");
/** Says where the socket is when it is not in the folder. */
const noteIn = (folder: string): string => join(folder, "lares.sock-at");

/**
 * A free address for the local socket of a data folder; what a crash left of the last one is gone. Only for whoever
 * holds the folder's lock.
 */
export function makeAddress(folder: string, place: Place = here): string {
  forgetAddress(folder);
  if (place.platform !== "win32" && Buffer.byteLength(inside(folder)) <= LONGEST_NAME) return inside(folder);
  const address = place.platform === "win32" ? randomPipe() : join(ownFolder(place), "sock");
  writeFileSync(noteIn(folder), `${address}\n${identityOf(folder)}\n`, { mode: 0o600 });
  return address;
}

/** Where the Lares that holds the folder listens, if it does. */
export function findAddress(folder: string): string {
  return noted(folder) ?? inside(folder);
}

/** Removes the socket and what points to it; a file that is no socket stays. */
export function forgetAddress(folder: string): void {
  const address = findAddress(folder);
  if (lstatSync(address, { throwIfNoEntry: false })?.isSocket()) rmSync(address, { force: true });
  if (address !== inside(folder) && !address.startsWith(PIPES)) removeEmpty(dirname(address));
  rmSync(noteIn(folder), { force: true });
}

const PIPES = "\\\\.\\pipe\\";
const randomPipe = (): string => `${PIPES}lares-${randomBytes(16).toString("hex")}`;

/** A new folder for nobody else, with a short name that nobody can guess. */
function ownFolder({ environment }: Place): string {
  const fits = (folder: string) => Buffer.byteLength(join(folder, "lares-xxxxxx", "sock")) <= LONGEST_NAME;
  const bases = [environment.XDG_RUNTIME_DIR ?? "", tmpdir(), "/tmp"];
  const base = bases.find((folder) => folder !== "" && fits(folder) && isFolder(folder)) ?? "/tmp";
  return mkdtempSync(join(base, "lares-")); // for the owner only
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** The note of this very folder: a copy of the folder has one that leads to the Lares of the original. */
function noted(folder: string): string | undefined {
  try {
    const [address, identity] = readFileSync(noteIn(folder), "utf8").split("\n");
    return identity === identityOf(folder) ? address : undefined;
  } catch {
    return undefined; // the socket is in the folder
  }
}

function identityOf(folder: string): string {
  const { dev, ino } = statSync(folder, { bigint: true });
  return `${dev}:${ino}`;
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    return; // gone already, or in use by something else
  }
}
