import type { SafeStorage as ElectronStorage } from "electron";

/** Encryption with a key that the operating system keeps, as the vault wants it. */
export interface SafeStorage {
  backend(): { readonly id: string; readonly name: string } | { readonly reason: string };
  encrypt(text: string): Promise<Buffer>;
  decrypt(sealed: Buffer): Promise<string>;
}

type Storage = Pick<
  ElectronStorage,
  | "isEncryptionAvailable"
  | "getSelectedStorageBackend"
  | "encryptString"
  | "decryptString"
  | "encryptStringAsync"
  | "decryptStringAsync"
>;

const linuxNames: Readonly<Record<string, string>> = {
  gnome_libsecret: "GNOME Keyring",
  kwallet: "KWallet",
  kwallet5: "KWallet",
  kwallet6: "KWallet",
};

/** How Chromium marks what it encrypted with a key that stands in its source: no better than plain text. */
const FIXED_KEY = "v10";

/** What the window offers to the vault. A platform that would only pretend to encrypt is refused, and says why. */
export const safeStorageOf = (storage: Storage, platform: NodeJS.Platform): SafeStorage =>
  platform === "linux" ? onLinux(storage) : elsewhere(storage, platform);

/**
 * The calls that answer at once: those that answer later fall back to a fixed key where there is no keyring, and say
 * that all is well.
 */
function onLinux(storage: Storage): SafeStorage {
  return {
    backend() {
      const id = storage.getSelectedStorageBackend();
      const name = linuxNames[id];
      if (id === "unknown") return { reason: "It is not known yet whether this desktop has a keyring. Try again." };
      if (name === undefined)
        return { reason: "This desktop has no keyring (such as GNOME Keyring or KWallet) to keep keys in." };
      if (!storage.isEncryptionAvailable())
        return { reason: `${name} cannot be reached. Unlock or start it, and try again.` };
      return { id: `electron:${id}`, name };
    },
    async encrypt(text) {
      const sealed = storage.encryptString(text);
      if (sealed.subarray(0, FIXED_KEY.length).toString() !== FIXED_KEY) return sealed;
      throw new Error("it would have been encrypted with a key that everybody knows");
    },
    decrypt: async (sealed) => storage.decryptString(sealed),
  };
}

/** The calls that answer later: a keyring may ask the person first, and the window goes on meanwhile. */
function elsewhere(storage: Storage, platform: NodeJS.Platform): SafeStorage {
  const name = platform === "darwin" ? "macOS Keychain" : "Windows (DPAPI)";
  return {
    backend: () =>
      storage.isEncryptionAvailable()
        ? { id: `electron:${platform}`, name }
        : { reason: `${name} cannot be used by Lares now. Unlock it, and try again.` },
    encrypt: (text) => storage.encryptStringAsync(text),
    decrypt: async (sealed) => (await storage.decryptStringAsync(sealed)).result,
  };
}
