import { type ConnectionView, type VaultState, VaultTier } from "../../shared/cloud.ts";
import { AppError } from "../../shared/errors.ts";
import { DAMAGED } from "./box.ts";
import type { KeyFile } from "./key-file.ts";
import type { PassphraseTier } from "./passphrase-tier.ts";
import type { SystemTier } from "./system-tier.ts";
import type { Tier } from "./tier.ts";

/** The ways to keep keys, and the file that says which is in use. */
export interface Tiers {
  readonly file: KeyFile;
  readonly system: SystemTier;
  readonly passphrase: PassphraseTier;
  readonly session: Tier;
}

/** The one that takes new keys: what the person chose, else what has keys already, else the best there is. */
export function currentTier({ file, passphrase, system }: Tiers): VaultTier {
  const { tier, keys } = file.read();
  if (tier) return tier;
  if (passphrase.exists()) return "passphrase";
  return system.isAvailable() || Object.keys(keys).length > 0 ? "system" : "session";
}

/** All of them, the current one first. */
export function tiersInOrder(tiers: Tiers): readonly Tier[] {
  const current = currentTier(tiers);
  return [current, ...VaultTier.options.filter((tier) => tier !== current)].map((tier) => tiers[tier]);
}

/** The one that has a key: after a move that was cut short that may be another one than the current. */
export const tierWith = (tiers: Tiers, name: string): Tier =>
  tiersInOrder(tiers).find((tier) => tier.has(name) !== "none") ?? tiers[currentTier(tiers)];

export const keyState = (tiers: Tiers, name: string): ConnectionView["key"] => tierWith(tiers, name).has(name);

export function stateOf(tiers: Tiers): VaultState {
  const tier = currentTier(tiers);
  const reason = reasonIn(tiers);
  return {
    tier,
    backend: tiers[tier].backend,
    locked: tiers[tier].isLocked(),
    available: VaultTier.options.filter((one) => one !== "system" || tiers.system.isAvailable()),
    ...(reason !== undefined && { reason }),
  };
}

function reasonIn({ file, passphrase, system }: Tiers): string | undefined {
  if (passphrase.isDamaged()) return DAMAGED;
  if (file.isDamaged()) return "The list of the keys is damaged. It is kept; give the keys again.";
  return system.reason();
}

/** Throws `code` with the reason where this computer cannot keep keys so. */
export function requireAvailable(tier: VaultTier, { system }: Tiers, code: "bad-request" | "key-locked"): void {
  if (tier !== "system" || system.isAvailable()) return;
  throw new AppError(
    code,
    `${system.reason() ?? "There is no keyring here."} Keys can be kept with a passphrase, or until Lares ends.`,
  );
}
