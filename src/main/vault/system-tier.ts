import { AppError, toAppError } from "../../shared/errors.ts";
import { type Found, isKeeper, type Keeper } from "./keeper.ts";
import type { KeyFile, SealedKey } from "./key-file.ts";
import { keyMissing } from "./session-tier.ts";
import type { Secret, Tier } from "./tier.ts";

export interface SystemTier extends Tier {
  /** Why nothing can be kept so; undefined: it can, or nobody has looked yet. */
  reason(): string | undefined;
  isAvailable(): boolean;
  /** Looks what there is. Asks again where there was nothing. */
  look(): Promise<void>;
}

/** Keeps secrets with the operating system. One that cannot be opened stays, and the others work. */
export function createSystemTier(file: KeyFile, find: () => Promise<Found> | Found): SystemTier {
  let found: Found | undefined;
  const opened = new Map<string, Secret>();
  const troubles = new Map<string, "locked" | "unreadable">();

  const keys = (): Readonly<Record<string, SealedKey>> => file.read().keys;
  const sealed = (name: string): SealedKey | undefined => (Object.hasOwn(keys(), name) ? keys()[name] : undefined);
  const reason = (): string | undefined => (found && !isKeeper(found) ? found.reason : undefined);

  function requireKeeper(): Keeper {
    if (isKeeper(found)) return found;
    throw new AppError("key-locked", `${reason() ?? "There is no keyring."} Try again, or keep keys another way.`);
  }

  async function open(name: string): Promise<Secret> {
    const key = sealed(name);
    if (!key) throw keyMissing();
    const keeper = requireKeeper();
    troubles.set(name, "locked");
    const secret = key.keeper === keeper.id ? parse(await keeper.open(name, key.sealed)) : undefined;
    troubles.set(name, "unreadable");
    if (!secret) throw new AppError("key-locked", unreadableWords(key, keeper));
    troubles.delete(name);
    opened.set(name, secret);
    return secret;
  }

  return {
    get backend() {
      return isKeeper(found) ? found.backend : "the keyring of this computer";
    },
    reason,
    isAvailable: () => isKeeper(found),
    async look() {
      if (!isKeeper(found)) found = await looked(find);
    },
    isLocked: () => reason() !== undefined || [...troubles.values()].includes("locked"),
    names: () => Object.keys(keys()),
    has(name) {
      const key = sealed(name);
      if (!key) return "none";
      if (isKeeper(found) && found.id !== key.keeper) return "unreadable";
      return troubles.get(name) ?? (reason() === undefined ? "kept" : "locked");
    },
    get: async (name) => opened.get(name) ?? open(name),
    async put(secrets) {
      const keeper = requireKeeper();
      await file.change({ keys: { ...keys(), ...(await sealAll(keeper, secrets)) } });
      for (const [name, secret] of secrets) {
        opened.set(name, secret);
        troubles.delete(name);
      }
    },
    async drop(names) {
      const gone = Object.entries(keys()).filter(([name]) => names.includes(name));
      if (gone.length === 0) return;
      // What another keeper has, only that one can remove; without our word for it, nobody finds it.
      for (const [name, key] of gone) if (isKeeper(found) && found.id === key.keeper) await found.forget(name);
      await file.change({ keys: Object.fromEntries(Object.entries(keys()).filter(([name]) => !names.includes(name))) });
      for (const [name] of gone) {
        opened.delete(name);
        troubles.delete(name);
      }
    },
    opened: () => [...opened.values()].map(({ secret }) => secret),
  };
}

async function looked(find: () => Promise<Found> | Found): Promise<Found> {
  try {
    return await find();
  } catch (thrown) {
    return { reason: `The keyring of this computer cannot be used: ${toAppError(thrown).message}` };
  }
}

async function sealAll(keeper: Keeper, secrets: ReadonlyMap<string, Secret>): Promise<Record<string, SealedKey>> {
  const keys: Record<string, SealedKey> = {};
  for (const [name, secret] of secrets)
    keys[name] = { keeper: keeper.id, sealed: await keeper.seal(name, JSON.stringify(secret)) };
  return keys;
}

function parse(text: string | undefined): Secret | undefined {
  try {
    const { origin, secret } = JSON.parse(text ?? "{}");
    return typeof origin === "string" && typeof secret === "string" ? { origin, secret } : undefined;
  } catch {
    return undefined;
  }
}

function unreadableWords(key: SealedKey, keeper: Keeper): string {
  const why =
    key.keeper === keeper.id
      ? `${keeper.backend} cannot open it: it is of another computer or account, or damaged`
      : `it was kept with ${key.keeper}, and here is ${keeper.id}`;
  return `This key cannot be unlocked: ${why}. It is kept as it is, and other keys still work. Give this one again to replace it.`;
}
