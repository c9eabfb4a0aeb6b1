import type { VaultTier } from "../../shared/cloud.ts";
import { AppError } from "../../shared/errors.ts";
import type { Secret, Tier } from "./tier.ts";
import { currentTier, requireAvailable, type Tiers, tiersInOrder } from "./tiers.ts";

/**
 * Keeps what can be read in another tier from now on. It is there before the choice is written down, and leaves the old
 * place after that: whenever it is cut short, each key is in one place at least. What cannot be read stays where it is.
 */
export async function choose(tiers: Tiers, tier: VaultTier, passphrase: string | undefined): Promise<void> {
  const { system, passphrase: box, file } = tiers;
  const from = currentTier(tiers);
  if (tier === "system") await system.look();
  requireAvailable(tier, tiers, "bad-request");
  if (from === "passphrase" && tier !== from && box.isLocked() && !box.isDamaged())
    throw new AppError("key-locked", LOCKED);
  if (tier === "passphrase") {
    if (from !== tier && box.exists()) await box.setAside(); // of a choice that was cut short
    await box.renew(passphrase);
  }
  if (tier === from) return file.change({ tier });
  const secrets = await readable(tiers[from]);
  if (secrets.size > 0) await tiers[tier].put(secrets);
  await file.change({ tier, leaving: { tier: from, names: [...secrets.keys()] } });
}

const LOCKED = "The keys are locked. Give the passphrase first, or remove the connections that they belong to.";

async function readable(tier: Tier): Promise<Map<string, Secret>> {
  const secrets = new Map<string, Secret>();
  for (const name of tier.names()) {
    const secret = await tier.get(name).catch(() => undefined); // it says so itself where it is
    if (secret) secrets.set(name, secret);
  }
  return secrets;
}

/** Removes what was moved from where it was. Throws what kept it from that; it is to be done again then. */
export async function finishMove({ file, ...tiers }: Tiers): Promise<void> {
  const { leaving } = file.read();
  if (!leaving) return;
  await tiers[leaving.tier].drop(leaving.names);
  if (leaving.tier === "passphrase") await tiers.passphrase.leave();
  await file.change({ leaving: undefined });
}

/** Opens the current tier, asking whoever has to be asked. Throws key-locked, bad-request. */
export async function unlock(tiers: Tiers, passphrase: string | undefined): Promise<void> {
  const { system } = tiers;
  const tier = currentTier(tiers);
  if (tier === "session") return;
  if (tier === "passphrase") return tiers.passphrase.unlock(passphrase);
  await system.look();
  requireAvailable(tier, tiers, "key-locked");
  for (const name of system.names()) if (system.has(name) === "locked") await system.get(name);
}

/** Into the current tier; what another one still has of that name is older. */
export async function put(tiers: Tiers, name: string, secret: Secret): Promise<void> {
  const [current, ...others] = tiersInOrder(tiers);
  await current?.put(new Map([[name, secret]]));
  for (const other of others) await other.drop([name]);
}

/** From everywhere, also from what is locked: whoever forgot the passphrase gets out of it so. */
export async function remove(tiers: Tiers, name: string): Promise<void> {
  for (const tier of tiersInOrder(tiers)) await tier.drop([name]);
  const { passphrase } = tiers;
  if (passphrase.isLocked() && !passphrase.isDamaged()) await passphrase.leave();
}
