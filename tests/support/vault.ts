import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { silentLog } from "../../src/main/lib/log.ts";
import { createVault, type VaultOptions } from "../../src/main/vault/open-vault.ts";
import type { SafeStorage } from "../../src/main/vault/safe-storage.ts";
import { type Cost, usualCost } from "../../src/main/vault/stretch.ts";
import type { Vault } from "../../src/main/vault/vault.ts";

const base = mkdtempSync(join(tmpdir(), "lares-vault-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

export const origin = "https://api.example.com";
export const key = "sk-CANARY-0123456789abcdef";
export const other = "sk-CANARY-another-0123456789";
export const passphrase = "correct horse battery";
export const nothingHere = { reason: "there is no keyring here" };

/** Encrypts as a keyring would; `id` is the key of one computer. */
export function aStorage(
  id = "test",
  backend: () => ReturnType<SafeStorage["backend"]> = () => ({ id, name: "Test Keyring" }),
) {
  const turn = (data: Buffer) => Buffer.from(data.map((byte, at) => byte ^ (id.charCodeAt(at % id.length) | 0x80)));
  const storage: SafeStorage = {
    backend,
    encrypt: async (text) => turn(Buffer.from(`${id}:${text}`)),
    async decrypt(sealed) {
      const text = turn(sealed).toString();
      if (!text.startsWith(`${id}:`)) throw new Error("not mine");
      return text.slice(id.length + 1);
    },
  };
  return storage;
}

let homes = 0;
export const aHome = (): string => join(base, `home ${++homes}`);
/** Tests have no time for what keeps people safe. */
const cheap: Cost = { ...usualCost, memory: 64 };

export const open = (
  dataFolder: string,
  safeStorage: SafeStorage = aStorage("none", () => nothingHere),
  rest: Partial<VaultOptions> = {},
): Vault => createVault({ dataFolder, log: silentLog, safeStorage, cost: cheap, ...rest });

export const filesIn = (home: string): string[] =>
  existsSync(join(home, "vault")) ? readdirSync(join(home, "vault")).sort() : [];
export const textsIn = (home: string): string =>
  filesIn(home)
    .map((name) => readFileSync(join(home, "vault", name), "latin1"))
    .join("\n");
export const fileOf = (home: string, name: string) => join(home, "vault", name);
export const refusal = (code: string, words: string | RegExp = "") =>
  expect.objectContaining({
    code,
    message: typeof words === "string" ? expect.stringContaining(words) : expect.stringMatching(words),
  });
