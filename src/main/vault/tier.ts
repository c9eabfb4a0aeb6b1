import type { ConnectionView } from "../../shared/cloud.ts";

/** A secret and the origin it is for: kept together, so that neither can be changed without the other. */
export interface Secret {
  readonly origin: string;
  readonly secret: string;
}

/** One way to keep secrets. Each changes only what it keeps, and has kept it when it resolves. */
export interface Tier {
  /** What keeps them, for people. */
  readonly backend: string;
  /** Something has to be opened before they can be read. */
  isLocked(): boolean;
  /** Without the vault being opened. */
  names(): readonly string[];
  has(name: string): ConnectionView["key"];
  /** Throws key-missing, key-locked. */
  get(name: string): Promise<Secret>;
  /** Throws key-locked, disk-full, … */
  put(secrets: ReadonlyMap<string, Secret>): Promise<void>;
  /** Names that it does not have are nothing. */
  drop(names: readonly string[]): Promise<void>;
  /** The secrets that were opened. */
  opened(): readonly string[];
}
