import { readFileSync } from "node:fs";
import { chmod, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../shared/errors.ts";
import { replaceFile } from "../lib/atomic-write.ts";

const codes: Readonly<Record<string, "disk-full" | "data-read-only">> = {
  ENOSPC: "disk-full",
  EDQUOT: "disk-full",
  EROFS: "data-read-only",
  EACCES: "data-read-only",
  EPERM: "data-read-only",
};

/** The files of the vault: for their owner only, each replaced as a whole, none thrown away unread. */
export interface VaultFolder {
  /** Undefined: there is none. Throws disk-error. */
  read(name: string): string | undefined;
  write(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Keeps a file that cannot be read beside the one that takes its place. */
  setAside(name: string): Promise<void>;
}

export function openVaultFolder(dataFolder: string, now: () => number = Date.now): VaultFolder {
  const folder = join(dataFolder, "vault");
  const at = (name: string) => join(folder, name);

  async function write(name: string, text: string): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700); // one that was there may be wider
    await replaceFile(at(name), text);
  }

  return {
    read(name) {
      try {
        return readFileSync(at(name), "utf8");
      } catch (thrown) {
        if (codeOf(thrown) === "ENOENT") return undefined;
        throw diskError(thrown);
      }
    },
    write: (name, text) => write(name, text).catch(rethrow),
    remove: (name) => rm(at(name), { force: true }).catch(rethrow),
    setAside: (name) => rename(at(name), `${at(name)}.bad-${now()}`).catch(rethrow),
  };
}

const codeOf = (thrown: unknown): string => (thrown instanceof Error && "code" in thrown ? String(thrown.code) : "");

function rethrow(thrown: unknown): never {
  throw diskError(thrown);
}

function diskError(thrown: unknown): AppError {
  const code = codeOf(thrown);
  const words = `The keys could not be read or written (${code || "unknown"}). What was kept before is as it was.`;
  return new AppError(codes[code] ?? "disk-error", words, thrown);
}
