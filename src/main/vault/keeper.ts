/** What the operating system offers to keep secrets. */
export interface Keeper {
  /** Written beside each secret: what one keeper has kept, no other can open. */
  readonly id: string;
  /** For people. */
  readonly backend: string;
  /** What is to be stored; empty where the keeper keeps the secret itself. Throws key-locked. */
  seal(name: string, text: string): Promise<string>;
  /** Undefined: it is damaged, or the keeper does not have it any more. Throws key-locked: not now. */
  open(name: string, sealed: string): Promise<string | undefined>;
  forget(name: string): Promise<void>;
}

/** A keeper, or why there is none. */
export type Found = Keeper | { readonly reason: string };
export const isKeeper = (found: Found | undefined): found is Keeper => found !== undefined && "seal" in found;
