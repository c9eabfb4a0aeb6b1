import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { open, readFile, rm } from "node:fs/promises";
import { z } from "zod";

/** What is known of a saved state without reading it. */
export const StateHeader = z.object({
  version: z.literal(1),
  /** The name of the header's own file: another one's cannot be put in its place. */
  name: z.string(),
  model: z.object({ path: z.string(), size: z.number(), changed: z.number() }),
  /** Loaded.stateKey of what wrote it. */
  key: z.string(),
  /** The file beside the header that has the state. */
  state: z.string(),
  tokens: z.int().nonnegative(),
  bytes: z.int().positive(),
  sha256: z.string(),
});
export type StateHeader = z.infer<typeof StateHeader>;

const keyBytes = 32;

/** The key in this file, made when there is none: whatever an earlier one has sealed is not opened with it. */
export async function readKey(path: string): Promise<Buffer> {
  const known = await readFile(path).catch(() => undefined);
  if (known?.length === keyBytes) return known;
  await rm(path, { force: true, recursive: true });
  const fresh = randomBytes(keyBytes);
  const file = await open(path, "wx", 0o600);
  await file.writeFile(fresh).finally(() => file.close());
  return fresh;
}

/** The header as it is written. */
export function sealed(header: StateHeader, key: Buffer): string {
  const text = JSON.stringify(header);
  return `${sealOf(text, key)}\n${text}`;
}

/** The header, if this key has sealed it. */
export function unsealed(content: string, key: Buffer): StateHeader | undefined {
  const [seal = "", text = ""] = content.split("\n", 2);
  const given = Buffer.from(seal);
  const own = Buffer.from(sealOf(text, key));
  if (given.length !== own.length || !timingSafeEqual(given, own)) return undefined;
  return StateHeader.safeParse(JSON.parse(text)).data;
}

const sealOf = (text: string, key: Buffer): string => createHmac("sha256", key).update(text).digest("hex");
