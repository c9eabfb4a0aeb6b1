import { createHash } from "node:crypto";
import { AppError, toAppError } from "../../shared/errors.ts";
import type { Found, Keeper } from "./keeper.ts";

/** A keyring may ask the person for its password first, and that person may have left. */
const PATIENCE_MS = 60_000;
const PROBE_MS = 3_000;

const names: Partial<Record<NodeJS.Platform, string>> = {
  darwin: "macOS Keychain",
  win32: "Windows Credential Manager",
};

type Keyring = typeof import("@napi-rs/keyring");

/** The keyring of the operating system, for a Lares without a window. Each data folder has a service of its own in it. */
export async function findKeyring(dataFolder: string, environment: NodeJS.ProcessEnv): Promise<Found> {
  const { platform } = process;
  if (platform === "linux" && !environment.DBUS_SESSION_BUS_ADDRESS)
    return { reason: "There is no session bus here, and so no keyring that Lares can reach." };
  try {
    const keeper = keyringKeeper(await import("@napi-rs/keyring"), dataFolder);
    await keeper.open("probe", ""); // nothing has that name: nobody is asked for anything
    return keeper;
  } catch (thrown) {
    return { reason: `The keyring of this computer cannot be reached: ${toAppError(thrown).message}` };
  }
}

function keyringKeeper({ AsyncEntry }: Keyring, dataFolder: string): Keeper {
  const backend = names[process.platform] ?? "Secret Service";
  const service = `Lares ${createHash("sha256").update(dataFolder).digest("hex").slice(0, 12)}`;
  // Without a store that is named, the one of the kernel is taken, which forgets everything when the computer restarts.
  const entryOf = (name: string) => new AsyncEntry(service, name, { linux: { store: "secret-service" } });

  async function ask<T>(question: (signal: AbortSignal) => Promise<T>, patience = PATIENCE_MS): Promise<T> {
    try {
      return await question(AbortSignal.timeout(patience));
    } catch (thrown) {
      const { message } = toAppError(thrown);
      throw new AppError("key-locked", `${backend} did not answer (${message}). Unlock it and try again.`, thrown);
    }
  }

  return {
    id: `keyring:${backend}`,
    backend,
    async seal(name, text) {
      await ask((signal) => entryOf(name).setPassword(text, signal));
      return "";
    },
    open: async (name) =>
      (await ask((signal) => entryOf(name).getPassword(signal), name === "probe" ? PROBE_MS : PATIENCE_MS)) ??
      undefined,
    forget: async (name) => void (await ask((signal) => entryOf(name).deleteCredential(signal))),
  };
}
