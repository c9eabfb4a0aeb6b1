import { z } from "zod";
import {
  CloudConnection,
  CloudOverview,
  CloudPreset,
  Leaving,
  Mark,
  OfferedModel,
  VaultTier,
  VendorId,
} from "./cloud.ts";
import { WireError } from "./errors.ts";
import { call } from "./ipc-call.ts";
import { LedgerRow, LedgerTotals } from "./network.ts";
import { Id } from "./views.ts";

const nothing = z.strictObject({});
const connection = z.strictObject({ connectionId: Id });
const key = z.string().max(1_000_000); // a paste of anything is refused with words, not with a broken contract
const passphrase = z.string().max(1000);

/** Cloud models, their keys, and what left this computer. */
export const cloudContract = {
  "cloud.overview": call(nothing, CloudOverview),
  /** With `baseUrl` only for `custom`, or where a vendor is reached another way. Throws bad-request, address-refused, key-locked. */
  "cloud.connect": call(
    z.strictObject({
      vendor: VendorId,
      name: z.string().trim().min(1).max(80),
      baseUrl: z.string().trim().max(500).optional(),
      key: key.optional(),
    }),
    CloudConnection,
  ),
  /** The key goes with it, and its presets. */
  "cloud.disconnect": call(connection, nothing),
  /** Puts a key in the place of the one before. */
  "cloud.setKey": call(z.strictObject({ connectionId: Id, key }), nothing),
  /** Asks the vendor; on failure in the vendor's own words. */
  "cloud.test": call(connection, z.object({ ok: z.boolean(), error: WireError.optional() })),
  "cloud.models": call(connection, z.object({ models: z.array(OfferedModel).readonly() })),
  /** Without an id: a new one. */
  "cloud.savePreset": call(
    z.strictObject({ preset: CloudPreset.unwrap().omit({ id: true }).extend({ id: Id.optional() }).strict() }),
    CloudPreset,
  ),
  "cloud.removePreset": call(z.strictObject({ presetId: Id }), nothing),

  "vault.choose": call(z.strictObject({ tier: VaultTier, passphrase: passphrase.optional() }), nothing),
  "vault.unlock": call(z.strictObject({ passphrase: passphrase.optional() }), nothing),

  /** What would leave with the next message, were it answered by this preset. */
  "chats.leaving": call(z.strictObject({ chatId: Id, presetId: Id }), Leaving),
  /** The person allows this chat to be sent to a connection, from now on. */
  "chats.allow": call(z.strictObject({ chatId: Id, connectionId: Id, allowed: z.boolean() }), nothing),

  "marks.list": call(nothing, z.object({ marks: z.array(Mark).readonly() })),
  "marks.set": call(z.strictObject({ mark: Mark, never: z.boolean() }), nothing),

  /** Newest first; `before`: older than this row. */
  "network.list": call(
    z.strictObject({ chatId: Id.optional(), before: z.int().optional(), limit: z.int().min(1).max(500) }),
    z.object({ rows: z.array(LedgerRow).readonly(), hasMore: z.boolean() }),
  ),
  "network.totals": call(z.strictObject({ chatId: Id.optional() }), LedgerTotals),
};
