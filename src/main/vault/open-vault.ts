import { AppError, toAppError } from "../../shared/errors.ts";
import type { Log } from "../lib/log.ts";
import { choose, finishMove, put, remove, unlock } from "./changes.ts";
import { checkedKey } from "./checked-key.ts";
import { openKeyFile } from "./key-file.ts";
import { findKeyring } from "./keyring.ts";
import { createPassphraseTier } from "./passphrase-tier.ts";
import { type SafeStorage, safeStorageKeeper } from "./safe-storage.ts";
import { createSessionTier } from "./session-tier.ts";
import { type Cost, usualCost } from "./stretch.ts";
import { createSystemTier } from "./system-tier.ts";
import { keyState, stateOf, type Tiers, tiersInOrder, tierWith } from "./tiers.ts";
import type { Vault } from "./vault.ts";
import { openVaultFolder, type VaultFolder } from "./vault-folder.ts";

export interface VaultOptions {
  readonly dataFolder: string;
  readonly log: Log;
  /** Of the window; absent: the keyring of the operating system. */
  readonly safeStorage?: SafeStorage | undefined;
  readonly environment?: NodeJS.ProcessEnv;
  /** In place of the one in the data folder. */
  readonly folder?: VaultFolder;
  /** Of a passphrase that is given anew; absent: what keeps people safe. */
  readonly cost?: Cost;
}

/** The vault of a data folder. Nothing is read, and no keyring is looked for, before somebody asks. */
export function createVault(options: VaultOptions): Vault {
  const { log } = options;
  let opened: Tiers | undefined;
  const open = (): Tiers => (opened ??= openTiers(options));
  let looked: Promise<void> | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  /** Resolves when it is known what this computer has. A shell that was not ready is asked again. */
  function known(): Promise<void> {
    looked ??= look();
    return looked;
  }

  async function look(): Promise<void> {
    const { system } = open();
    await system.look();
    if (!system.isAvailable() && options.safeStorage) looked = undefined;
  }

  /** One change after the other: each begins with what the one before has left. */
  function inTurn<T>(work: (tiers: Tiers) => Promise<T>): Promise<T> {
    const result = queue.then(async () => {
      await known();
      await finishedMove();
      return work(open());
    });
    queue = result.catch(() => undefined); // whoever asked is told
    return result;
  }

  const finishedMove = (): Promise<void> =>
    finishMove(open()).catch((thrown) => log.warn("old keys not removed yet", { code: toAppError(thrown).code }));

  return {
    ready: known,
    state: () => stateOf(open()),
    choose: (tier, passphrase) =>
      inTurn(async (tiers) => {
        await choose(tiers, tier, passphrase);
        await finishedMove();
        log.info("vault tier", { tier });
      }),
    unlock: (passphrase) => inTurn((tiers) => unlock(tiers, passphrase)),
    has: (name) => keyState(open(), name),
    async get(name, origin) {
      await known();
      const { origin: kept, secret } = await tierWith(open(), name).get(name);
      if (kept === origin) return secret;
      throw new AppError(
        "key-missing",
        `The key was given for ${kept} and is not sent to ${origin}. Give the key of this address.`,
      );
    },
    async set(name, origin, pasted) {
      const secret = checkedKey(pasted);
      await inTurn((tiers) => put(tiers, name, { origin, secret }));
    },
    remove: (name) => inTurn((tiers) => remove(tiers, name)),
    secrets: () => (opened ? tiersInOrder(opened).flatMap((tier) => tier.opened()) : []),
  };
}

function openTiers(options: VaultOptions): Tiers {
  const {
    dataFolder,
    safeStorage,
    environment = process.env,
    folder = openVaultFolder(dataFolder),
    cost = usualCost,
  } = options;
  const file = openKeyFile(folder);
  const find = () => (safeStorage ? safeStorageKeeper(safeStorage) : findKeyring(dataFolder, environment));
  const system = createSystemTier(file, find);
  return { file, system, passphrase: createPassphraseTier(folder, cost), session: createSessionTier() };
}
