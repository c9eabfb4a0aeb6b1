import type { TFunction } from "i18next";
import type { VaultState, VaultTier } from "../../shared/cloud.ts";
import { visibleText } from "../lib/plain-text.ts";

/** The ways to keep keys, by name. */
export const tierWords = {
  system: "cloud.tierSystem",
  passphrase: "cloud.tierPassphrase",
  session: "cloud.tierSession",
} as const satisfies Record<VaultTier, string>;

/** Where keys are kept, in a sentence; a keyring of the system by its own name. */
export const keptIn = ({ tier, backend }: VaultState, t: TFunction): string =>
  t("cloud.keptIn", { backend: tier === "system" ? visibleText(backend) : t(tierWords[tier]) });
