import { createHash, randomBytes } from "node:crypto";
import { xchacha20poly1305 } from "@noble/ciphers/chacha.js";
import { z } from "zod";
import { AppError, toAppError } from "../../shared/errors.ts";
import { Cost, stretch } from "./stretch.ts";
import type { Secret } from "./tier.ts";

const SALT_BYTES = 16;
const NONCE_BYTES = 24;
const base64 = z.base64().transform((text): Uint8Array => Uint8Array.from(Buffer.from(text, "base64")));
const bytes = (length: number) => base64.refine((value) => value.length === length);

/** The file that only a passphrase opens. The names stand open in it, so that it can be told what is locked. */
const BoxFile = z.object({
  format: z.literal("lares-keys"),
  version: z.literal(1),
  cost: Cost,
  salt: bytes(SALT_BYTES),
  names: z.array(z.string()),
  nonce: bytes(NONCE_BYTES),
  sealed: base64,
  /** Of everything else: tells damage from a wrong passphrase. */
  check: z.string(),
});
type BoxFile = z.infer<typeof BoxFile>;

const Contents = z.record(z.string(), z.object({ origin: z.string(), secret: z.string() }));

/** What a passphrase was made into. The passphrase itself is not kept. */
export interface BoxKey {
  readonly key: Uint8Array;
  readonly salt: Uint8Array;
  readonly cost: Cost;
}

/** A box as it was read: closed. Undefined in its place: the file is no box. */
export interface Box extends BoxFile {
  readonly isWhole: boolean;
}

export async function newBoxKey(passphrase: string, cost: Cost): Promise<BoxKey> {
  const salt = new Uint8Array(randomBytes(SALT_BYTES));
  return { key: await stretch(passphrase, salt, cost), salt, cost };
}

/** The text of a box. Each has a nonce of its own. */
export function sealBox({ key, salt, cost }: BoxKey, secrets: ReadonlyMap<string, Secret>): string {
  const nonce = new Uint8Array(randomBytes(NONCE_BYTES));
  const contents = Buffer.from(JSON.stringify(Object.fromEntries(secrets)));
  const sealed = xchacha20poly1305(key, nonce, headerOf(salt, cost)).encrypt(contents);
  return writeBox({ format: "lares-keys", version: 1, cost, salt, names: [...secrets.keys()], nonce, sealed });
}

/** The same box with fewer names: what they name is not given out any more, and goes when the box is sealed next. */
export const withoutNames = (box: Box, names: readonly string[]): string =>
  writeBox({ ...box, names: box.names.filter((name) => !names.includes(name)) });

export function readBox(text: string): Box | undefined {
  try {
    const file = BoxFile.parse(JSON.parse(text));
    return { ...file, isWhole: checkOf(file) === file.check };
  } catch {
    return undefined;
  }
}

export interface OpenedBox {
  readonly key: BoxKey;
  readonly secrets: ReadonlyMap<string, Secret>;
  /** It holds more than it gives out: names were taken from it while it was closed. */
  readonly hasLeftovers: boolean;
}

/** Throws key-locked: the passphrase is another one, or the file is damaged. */
export async function openBox(box: Box, passphrase: string): Promise<OpenedBox> {
  const { salt, cost, nonce, sealed, names, isWhole } = box;
  const key = await stretch(passphrase, salt, cost);
  const secrets = contentsOf(box, () => xchacha20poly1305(key, nonce, headerOf(salt, cost)).decrypt(sealed));
  const given = isWhole ? [...secrets].filter(([name]) => names.includes(name)) : [...secrets];
  return { key: { key, salt, cost }, secrets: new Map(given), hasLeftovers: given.length < secrets.size };
}

export const DAMAGED =
  "The file of the keys is damaged. It is kept; choose again how keys are kept, and give them anew.";

function contentsOf({ isWhole }: Box, decrypt: () => Uint8Array): Map<string, Secret> {
  try {
    return new Map(Object.entries(Contents.parse(JSON.parse(Buffer.from(decrypt()).toString()))));
  } catch (thrown) {
    const words = isWhole ? "This passphrase does not open the keys. Nothing was changed." : DAMAGED;
    throw new AppError("key-locked", words, toAppError(thrown));
  }
}

/** What the seal covers besides the contents. */
const headerOf = (salt: Uint8Array, cost: Cost): Uint8Array =>
  Buffer.from(JSON.stringify(["lares-keys", 1, cost.memory, cost.passes, cost.lanes, inBase64(salt)]));

function writeBox(file: Omit<BoxFile, "check">): string {
  const { format, version, cost, salt, names, nonce, sealed } = file;
  const open = { format, version, cost, salt: inBase64(salt), names, nonce: inBase64(nonce), sealed: inBase64(sealed) };
  return `${JSON.stringify({ ...open, check: checkOf(file) }, null, 2)}\n`;
}

function checkOf({ cost, salt, names, nonce, sealed }: Omit<BoxFile, "check">): string {
  const hash = createHash("sha256").update(headerOf(salt, cost)).update(JSON.stringify(names));
  return hash.update(nonce).update(sealed).digest("base64");
}

const inBase64 = (data: Uint8Array): string => Buffer.from(data).toString("base64");
