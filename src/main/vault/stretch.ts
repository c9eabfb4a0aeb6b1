import crypto from "node:crypto";
import { argon2idAsync } from "@noble/hashes/argon2.js";
import { z } from "zod";

/** What it takes to make a key of a passphrase. The limits are those of a file that somebody else may have written. */
export const Cost = z
  .object({
    name: z.literal("argon2id"),
    /** KiB. */
    memory: z
      .int()
      .min(8)
      .max(1024 * 1024),
    passes: z.int().min(1).max(16),
    lanes: z.int().min(1).max(16),
  })
  .readonly();
export type Cost = z.infer<typeof Cost>;

/** The second choice of RFC 9106, for computers that have other things to do. */
export const usualCost: Cost = { name: "argon2id", memory: 64 * 1024, passes: 3, lanes: 4 };

const KEY_BYTES = 32;
/** How long noble may hold the thread at once, ms. */
const TICK_MS = 5;

/** The key that a passphrase makes: the same on every platform, and however the passphrase was typed. The thread stays free. */
export async function stretch(passphrase: string, salt: Uint8Array, cost: Cost): Promise<Uint8Array> {
  const message = passphrase.normalize("NFKC");
  return (await stretchNatively(message, salt, cost)) ?? stretchSlowly(message, salt, cost);
}

/** In a thread of its own. Undefined: this Node has no Argon2, as that of Electron. */
async function stretchNatively(message: string, nonce: Uint8Array, cost: Cost): Promise<Uint8Array | undefined> {
  const { memory, passes, lanes: parallelism } = cost;
  const { promise, resolve } = Promise.withResolvers<Uint8Array | undefined>();
  try {
    const wanted = { message, nonce, parallelism, tagLength: KEY_BYTES, memory, passes };
    crypto.argon2("argon2id", wanted, (error, key) => resolve(error ? undefined : new Uint8Array(key)));
  } catch {
    return undefined; // not there, or without the library behind it
  }
  return promise;
}

/** In this thread, a little at a time. */
export function stretchSlowly(message: string, salt: Uint8Array, { memory, passes, lanes }: Cost): Promise<Uint8Array> {
  const limits = { t: passes, m: memory, p: lanes, dkLen: KEY_BYTES, asyncTick: TICK_MS };
  return argon2idAsync(message, salt, limits);
}
