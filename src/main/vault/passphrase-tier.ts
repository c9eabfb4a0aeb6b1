import { AppError } from "../../shared/errors.ts";
import { DAMAGED, newBoxKey, type OpenedBox, openBox, sealBox, withoutNames } from "./box.ts";
import { type BoxFile, openBoxFile } from "./box-file.ts";
import { keyMissing } from "./session-tier.ts";
import type { Cost } from "./stretch.ts";
import type { Secret, Tier } from "./tier.ts";
import type { VaultFolder } from "./vault-folder.ts";

const LEAST_CHARACTERS = 8;

export interface PassphraseTier extends Tier {
  /** There is a file. */
  exists(): boolean;
  isDamaged(): boolean;
  /** Throws key-locked: wrong passphrase, damaged file; bad-request: none was given. */
  unlock(passphrase: string | undefined): Promise<void>;
  /** From now on this passphrase opens what is kept; what no passphrase opens is set aside. Throws bad-request, key-locked. */
  renew(passphrase: string | undefined): Promise<void>;
  /** Keeps the file under another name, and begins without one. */
  setAside(): Promise<void>;
  /** Ends it: a damaged file is set aside, one without names is removed, any other stays. */
  leave(): Promise<void>;
}

/** Keeps secrets in a file that only a passphrase opens. */
export function createPassphraseTier(folder: VaultFolder, cost: Cost): PassphraseTier {
  const file = openBoxFile(folder);
  let opened: OpenedBox | undefined;

  const names = (): readonly string[] => (opened ? [...opened.secrets.keys()] : (file.box()?.names ?? []));
  const isDamaged = (): boolean => file.exists() && !opened && !file.box()?.isWhole;

  async function save({ key }: Pick<OpenedBox, "key">, secrets: ReadonlyMap<string, Secret>): Promise<void> {
    await file.write(sealBox(key, secrets));
    opened = { key, secrets, hasLeftovers: false };
  }

  function requireOpened(): OpenedBox {
    if (opened) return opened;
    throw new AppError("key-locked", isDamaged() ? DAMAGED : "The keys are locked. Give the passphrase to open them.");
  }

  async function unlock(passphrase: string | undefined): Promise<void> {
    opened ??= await openWith(file, passphrase);
    if (opened.hasLeftovers) await save(opened, opened.secrets);
  }

  async function end(how: "setAside" | "remove"): Promise<void> {
    await file[how]();
    opened = undefined;
  }

  return {
    backend: "a file that your passphrase opens",
    isLocked: () => file.exists() && !opened,
    exists: file.exists,
    ...{ names, isDamaged, unlock },
    setAside: () => end("setAside"),
    async renew(passphrase) {
      const wanted = longEnough(passphrase);
      if (isDamaged()) await end("setAside");
      if (file.exists()) await unlock(wanted);
      await save({ key: await newBoxKey(wanted, cost) }, opened?.secrets ?? new Map());
    },
    async leave() {
      if (isDamaged()) await end("setAside");
      else if (file.exists() && names().length === 0) await end("remove");
    },
    has: (name) => (names().includes(name) || isDamaged() ? stateOf(opened, isDamaged()) : "none"),
    async get(name) {
      const secret = requireOpened().secrets.get(name);
      if (!secret) throw keyMissing();
      return secret;
    },
    async put(secrets) {
      const before = requireOpened();
      await save(before, new Map([...before.secrets, ...secrets]));
    },
    async drop(gone) {
      if (!names().some((name) => gone.includes(name))) return;
      const box = file.box();
      if (opened) await save(opened, new Map([...opened.secrets].filter(([name]) => !gone.includes(name))));
      else if (box?.isWhole) await file.write(withoutNames(box, gone));
    },
    opened: () => [...(opened?.secrets.values() ?? [])].map(({ secret }) => secret),
  };
}

const stateOf = (opened: OpenedBox | undefined, isDamaged: boolean) =>
  opened ? "kept" : isDamaged ? "unreadable" : "locked";

function openWith(file: BoxFile, passphrase: string | undefined): Promise<OpenedBox> {
  const box = file.box();
  if (!passphrase) throw new AppError("bad-request", "The keys are opened with a passphrase. Give it.");
  if (!file.exists()) throw new AppError("key-locked", "There is no file of keys. Choose again how keys are kept.");
  if (!box) throw new AppError("key-locked", DAMAGED);
  return openBox(box, passphrase);
}

function longEnough(passphrase = ""): string {
  if ([...passphrase].length >= LEAST_CHARACTERS) return passphrase;
  throw new AppError(
    "bad-request",
    `A passphrase has at least ${LEAST_CHARACTERS} characters. Several words are best.`,
  );
}
