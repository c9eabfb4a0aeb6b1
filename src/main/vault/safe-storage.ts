import { AppError, toAppError } from "../../shared/errors.ts";
import type { Found } from "./keeper.ts";

/** The encryption that the shell of the window offers. */
export interface SafeStorage {
  /** What keeps its key, or why it may not be used. */
  backend(): { readonly id: string; readonly name: string } | { readonly reason: string };
  encrypt(text: string): Promise<Buffer>;
  decrypt(sealed: Buffer): Promise<string>;
}

/** A keeper that only encrypts: what it sealed is stored with us. */
export function safeStorageKeeper(storage: SafeStorage): Found {
  const backend = storage.backend();
  if ("reason" in backend) return backend;
  return {
    id: backend.id,
    backend: backend.name,
    async seal(_name, text) {
      try {
        return (await storage.encrypt(text)).toString("base64");
      } catch (thrown) {
        const { message } = toAppError(thrown);
        throw new AppError("key-locked", `${backend.name} did not take the key (${message}). Try again.`, thrown);
      }
    },
    async open(_name, sealed) {
      try {
        return await storage.decrypt(Buffer.from(sealed, "base64"));
      } catch {
        return undefined; // of another computer or another account, or damaged: it does not say which
      }
    },
    forget: async () => undefined,
  };
}
