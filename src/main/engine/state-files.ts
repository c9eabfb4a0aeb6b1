import { createHash } from "node:crypto";
import { mkdir, open, readdir, readFile, rm, stat, statfs, utimes } from "node:fs/promises";
import { basename, join } from "node:path";
import { replaceFile } from "../lib/atomic-write.ts";
import { newId } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { ModelFile } from "./model-file.ts";
import { reasonOf } from "./model-records.ts";
import type { SavedState, StateContent } from "./protocol.ts";
import { readKey, type StateHeader, sealed, unsealed } from "./state-seal.ts";

/** Whose state it is, and what it fits. */
export interface StateOwner {
  readonly chatId: string;
  readonly file: ModelFile;
  /** Loaded.stateKey */
  readonly key: string;
}

/** A file to be filled, and the bytes it may have. */
export interface StateDraft {
  readonly path: string;
  readonly mostBytes: number;
}

export interface StateFilesOptions {
  readonly folder: string;
  readonly log: Log;
  /** Bytes that are free on the disk. */
  readonly freeBytes?: (folder: string) => Promise<number>;
}

const mostBytes = 2e9;
/** Of what is free on the disk, or would be without the states. */
const mostPart = 0.05;
const headerEnd = ".head";
const keyName = "key";

/**
 * What models have read of chats, a state for each chat and model file: a sealed header, and the file that it names with
 * its hash. The header is replaced last, so that a state is whole or not there. Nothing but what the key of this folder
 * has sealed is ever given out.
 */
export class StateFiles {
  readonly #folder: string;
  readonly #log: Log;
  readonly #freeBytes: (folder: string) => Promise<number>;
  readonly #swept: Promise<void>;
  #key: Promise<Buffer> | undefined;

  constructor({ folder, log, freeBytes = freeOn }: StateFilesOptions) {
    this.#folder = folder;
    this.#log = log;
    this.#freeBytes = freeBytes;
    this.#swept = this.#sweep().catch((thrown) => log.warn("state.not-swept", { code: reasonOf(thrown) }));
  }

  /** The state of this owner, which is marked as used. What is there and cannot be used is removed. */
  async find(owner: StateOwner): Promise<SavedState | undefined> {
    await this.#swept;
    const header = await this.#header(nameOf(owner));
    if (!header) return undefined;
    const { key, model, state, tokens, bytes, sha256 } = header;
    const { path, size, changed } = owner.file;
    const fits = key === owner.key && model.path === path && model.size === size && model.changed === changed;
    if (!fits) return this.#refuse(header.name, "other model or settings");
    const now = new Date();
    await utimes(this.#at(header.name + headerEnd), now, now);
    return { path: this.#at(state), tokens, bytes, sha256 };
  }

  /** An empty file for a state of this owner; undefined where there is no room for any. */
  async begin(owner: StateOwner): Promise<StateDraft | undefined> {
    await this.#swept;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const room = await this.#room();
    if (room < 1) return undefined;
    const path = this.#at(`${nameOf(owner)}.${newId()}`);
    await (await open(path, "wx", 0o600)).close();
    return { path, mostBytes: room };
  }

  /** Puts what was written to a draft in place of the owner's earlier state. The least used of others make room for it. */
  async keep(owner: StateOwner, draft: StateDraft, content: StateContent): Promise<void> {
    const name = nameOf(owner);
    const state = basename(draft.path);
    const header: StateHeader = { version: 1, name, model: owner.file, key: owner.key, state, ...content };
    await replaceFile(this.#at(name + headerEnd), sealed(header, await this.#ownKey()));
    await this.#remove((file) => isOf(name, file) && file !== state && file !== name + headerEnd);
    await this.#makeRoom();
  }

  /** A draft that is not kept. */
  async drop({ path }: StateDraft): Promise<void> {
    await rm(path, { force: true });
  }

  /** Removes the state of this owner, which is of no use: `why` goes to the log. */
  async discard(owner: StateOwner, why: string): Promise<void> {
    await this.#refuse(nameOf(owner), why);
  }

  /** Removes all states of a chat. Throws the disk's error. */
  async remove(chatId: string): Promise<void> {
    await this.#remove((file) => file.startsWith(`${digestOf(chatId, 24)}-`));
  }

  async #header(name: string): Promise<StateHeader | undefined> {
    const content = await readFile(this.#at(name + headerEnd), "utf8").catch(() => undefined);
    if (content === undefined) return undefined;
    const header = unsealed(content, await this.#ownKey());
    if (header?.name !== name) return this.#refuse(name, "not sealed here");
    const { size } = await stat(this.#at(header.state)).catch(() => ({ size: -1 }));
    return size === header.bytes ? header : this.#refuse(name, "not whole");
  }

  async #refuse(name: string, why: string): Promise<undefined> {
    this.#log.warn("state.refused", { why });
    await this.#remove((file) => isOf(name, file));
  }

  /** Removes what the end of the last run left half written, and what was not sealed here. */
  async #sweep(): Promise<void> {
    const kept = new Set([keyName]);
    for (const name of headersAmong(await this.#list())) {
      const header = await this.#header(name);
      if (header) kept.add(header.state).add(name + headerEnd);
    }
    await this.#remove((file) => !kept.has(file));
  }

  async #makeRoom(): Promise<void> {
    const files = await this.#list();
    const used = await Promise.all(
      headersAmong(files).map(async (name) => ({ name, at: (await stat(this.#at(name + headerEnd))).mtimeMs })),
    );
    let room = await this.#room();
    for (const { name } of used.toSorted((one, other) => other.at - one.at)) {
      const size = await this.#sizeOf(files.filter((file) => isOf(name, file)));
      if (size <= room) room -= size;
      else await this.#remove((file) => isOf(name, file));
    }
  }

  /** Bytes that all states together may have. */
  async #room(): Promise<number> {
    const free = (await this.#freeBytes(this.#folder)) + (await this.#sizeOf(await this.#list()));
    return Math.floor(Math.min(mostBytes, free * mostPart));
  }

  async #sizeOf(files: readonly string[]): Promise<number> {
    const sizeOf = (file: string) => stat(this.#at(file)).then(({ size }) => size);
    const sizes = await Promise.all(files.map((file) => sizeOf(file).catch(() => 0))); // gone in the meantime
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  async #remove(isMeant: (file: string) => boolean): Promise<void> {
    for (const file of (await this.#list()).filter(isMeant)) await rm(this.#at(file), { recursive: true, force: true });
  }

  /** There is no folder before the first state. */
  #list(): Promise<string[]> {
    return readdir(this.#folder).catch(() => []);
  }

  #ownKey(): Promise<Buffer> {
    this.#key ??= readKey(this.#at(keyName)).catch((thrown) => {
      this.#key = undefined; // the next one tries again
      throw thrown;
    });
    return this.#key;
  }

  #at(name: string): string {
    return join(this.#folder, name);
  }
}

const headersAmong = (files: readonly string[]): string[] =>
  files.filter((file) => file.endsWith(headerEnd)).map((file) => file.slice(0, -headerEnd.length));

const isOf = (name: string, file: string): boolean => file.startsWith(`${name}.`);

const digestOf = (text: string, length: number): string =>
  createHash("sha256").update(text).digest("hex").slice(0, length);

const nameOf = ({ chatId, file }: StateOwner): string => `${digestOf(chatId, 24)}-${digestOf(file.path, 8)}`;

async function freeOn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
