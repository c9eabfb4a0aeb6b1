import type { ConnectionView, VaultState, VaultTier } from "../../shared/cloud.ts";

/** Where secrets live. Only main has it, and only what connects reads it: a page writes, tests and removes, and never reads. */
export interface Vault {
  /** Resolves when it is known what this computer has to keep keys: looking for a keyring takes a moment. */
  ready(): Promise<void>;
  /** As far as it is known. */
  state(): VaultState;
  /** Moves what is kept into another tier. Throws bad-request (no passphrase), key-locked. */
  choose(tier: VaultTier, passphrase?: string): Promise<void>;
  /** Opens what a passphrase or a keyring holds. Throws key-locked with the reason. */
  unlock(passphrase?: string): Promise<void>;
  /** What is known of a secret without reading it. */
  has(name: string): ConnectionView["key"];
  /** The secret, for this origin only: one that was kept for another is as good as none. Throws key-missing, key-locked. */
  get(name: string, origin: string): Promise<string>;
  /** Kept when it resolves. Throws bad-request for what cannot be a key. */
  set(name: string, origin: string, secret: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** The secrets that are open now: what must not stand in any text that leaves the vault's owner. */
  secrets(): readonly string[];
}
