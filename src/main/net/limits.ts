import type { Purpose } from "../../shared/network.ts";

/** What one request may take. */
export interface Limits {
  readonly connectMs: number;
  /** Until the answer begins; a model nearby may have to be loaded first. */
  readonly headersMs: number;
  readonly nearbyHeadersMs: number;
  /** From beginning to end; absent: whoever reads watches for silence. */
  readonly wholeMs?: number | undefined;
  /** Of the answer's body, unpacked. */
  readonly bytes: number;
  /** So much more may come out of a packed body than went in. */
  readonly ratio: number;
}

const MB = 1024 * 1024;
const minute = 60_000;
const small: Limits = {
  connectMs: 10_000,
  headersMs: 30_000,
  nearbyHeadersMs: 30_000,
  wholeMs: 30_000,
  bytes: 5 * MB,
  ratio: 20,
};

/** By what a connection is made for. */
export const limitsFor: Readonly<Record<Purpose, Limits>> = {
  answer: {
    connectMs: 10_000,
    headersMs: minute,
    nearbyHeadersMs: 5 * minute,
    bytes: 64 * MB,
    ratio: 100, // the events of a stream are much alike
  },
  "model-list": small,
  "key-test": small,
  "hub-search": small,
  "package-index": small,
  download: { ...small, wholeMs: undefined, bytes: Number.POSITIVE_INFINITY },
};

/** A small body may be packed as well as it likes. */
export const RATIO_COUNTS_FROM = 256 * 1024;
