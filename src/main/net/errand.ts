import type { LedgerEnd, NewLedgerRow, Purpose, Trip } from "../../shared/network.ts";

/** Why something is connected to: what the ledger says, and what the guard allows. */
export interface Errand {
  readonly purpose: Purpose;
  readonly chatId?: string;
  readonly turnId?: string;
  /** What the vendor calls the model. */
  readonly model?: string;
  /** The person has just clicked for it: a download or a search goes out in Local mode too, this once. */
  readonly byHand?: boolean;
  /** The origin that the person typed themselves: there, and only there, private addresses are allowed. */
  readonly granted?: string;
}

/** As the fetch of the platform; the response is one of the platform. Throws AppError, nothing else. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** One errand: its requests go through the guard and into the ledger. */
export interface Visit {
  readonly fetch: Fetch;
  /** The newest request: its body as it left, and its row of the ledger so far. Undefined: none left. */
  readonly sent: () => { readonly body: string; readonly trip: Trip } | undefined;
}

/** What a program that makes its own connections is watched by. */
export interface Watched {
  /** Aborted when Local mode cuts it off: end the program, and throw the reason. */
  readonly signal: AbortSignal;
  /** Bytes that it has received so far. */
  readonly came: (bytes: number) => void;
}

/** The one way out of this computer. */
export interface Door {
  visit(errand: Errand): Visit;
  /** Lets another program go out, with one row for all that it does: `host` in words. Throws local-mode, and what `run` throws. */
  program<T>(errand: Errand, host: string, run: (watched: Watched) => Promise<T>): Promise<T>;
}

/** What the door writes down: a row is on disk before its connection has a byte. Throws as the store does; then nothing is connected. */
export interface Ledger {
  open(row: NewLedgerRow): number;
  close(row: { readonly id: number; readonly chatId?: string | undefined }, end: LedgerEnd): void;
}
