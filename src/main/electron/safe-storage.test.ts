import { expect, test } from "vitest";
import { safeStorageOf } from "./safe-storage.ts";

type Storage = Parameters<typeof safeStorageOf>[0];
type Backend = ReturnType<Storage["getSelectedStorageBackend"]>;

/** Electron's, as its documents say it behaves: without a keyring the calls that answer later say that all is well. */
function anElectron(backend: Backend, { available = true, prefix = "v11" } = {}): Storage & { encrypted: string[] } {
  const encrypted: string[] = [];
  const encrypt = (text: string) => {
    encrypted.push(text);
    return Buffer.from(`${prefix}${text}`);
  };
  return {
    encrypted,
    isEncryptionAvailable: () => available,
    getSelectedStorageBackend: () => backend,
    encryptString: encrypt,
    decryptString: (sealed) => sealed.toString().slice(prefix.length),
    encryptStringAsync: async (text) => encrypt(text),
    decryptStringAsync: async (sealed) => ({ result: sealed.toString().slice(prefix.length), shouldReEncrypt: false }),
  };
}

test.each<[string, Backend, boolean, RegExp]>([
  ["E1", "basic_text", true, /no keyring/],
  ["E2", "unknown", true, /not known yet/],
  ["E5", "gnome_libsecret", false, /GNOME Keyring cannot be reached/],
  ["E5", "kwallet6", false, /KWallet cannot be reached/],
])(
  "%s on Linux the backend %s is refused with the reason, whatever the later calls say (available: %s)",
  (_id, backend, available, words) => {
    const electron = anElectron(backend, { available });
    expect(safeStorageOf(electron, "linux").backend()).toEqual({ reason: expect.stringMatching(words) });
  },
);

test.each<[Backend, string]>([
  ["gnome_libsecret", "GNOME Keyring"],
  ["kwallet5", "KWallet"],
])("on Linux %s is used, under its own name", async (backend, name) => {
  const storage = safeStorageOf(anElectron(backend), "linux");
  expect(storage.backend()).toEqual({ id: `electron:${backend}`, name });
  expect(await storage.decrypt(await storage.encrypt("a secret"))).toBe("a secret");
});

test("on Linux what would be encrypted with the key that stands in Chromium's source is not given out", async () => {
  const storage = safeStorageOf(anElectron("gnome_libsecret", { prefix: "v10" }), "linux");
  await expect(storage.encrypt("a secret")).rejects.toThrow("a key that everybody knows");
});

test.each<[NodeJS.Platform, string]>([
  ["darwin", "macOS Keychain"],
  ["win32", "Windows (DPAPI)"],
])("on %s the keyring of the platform is used, or the reason said", async (platform, name) => {
  const storage = safeStorageOf(anElectron("unknown", { prefix: "v10" }), platform);
  expect(storage.backend()).toEqual({ id: `electron:${platform}`, name });
  expect(await storage.decrypt(await storage.encrypt("a secret"))).toBe("a secret");
  const locked = safeStorageOf(anElectron("unknown", { available: false }), platform);
  expect(locked.backend()).toEqual({ reason: expect.stringContaining(name) });
});
