import type { WireError } from "./errors.ts";
import type { StreamBatch } from "./stream.ts";

/** A call's answer as it crosses: a value, or an error the page has words for. */
export type Reply = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: WireError };

/** What the preload puts at `window.host`; in a browser the page makes one over its WebSocket. Never grows. */
export interface HostBridge {
  /** A file that a person dropped goes as its path, where the place that shows the page can tell it: a browser cannot. */
  invoke(name: string, input: unknown): Promise<Reply>;
  /** Returns the function that ends the listening. */
  onBatch(listener: (batch: StreamBatch) => void): () => void;
}

/** The two roads between a page and the main process in Electron. */
export const CALL_CHANNEL = "lares:call";
export const STREAM_CHANNEL = "lares:stream";

/** A payload of a call may have so many bytes; files will go another way. */
export const MAX_CALL_BYTES = 1024 * 1024;

/** What only the place that shows the page can do. Absent: the page has to help itself, as in a browser. */
export interface Shell {
  readonly kind: "window" | "browser" | "terminal";
  /** The path that the person picked; null: none. */
  pickFile?(kind: "model" | "folder"): Promise<string | null>;
  /** False: the person left the dialog. */
  saveText?(name: string, text: string): Promise<boolean>;
  /** Opens an address that `classifyLink` allows, outside. */
  openLink?(url: string): Promise<void>;
  showFolder?(path: string): Promise<void>;
  /** Opens another window, or gives the address of one. */
  newWindow?(): Promise<string | null>;
}

/** One page that is connected: its calls come in, batches go out through the `post` it was connected with. */
export interface DeskClient {
  /** Never rejects. */
  call(name: unknown, input: unknown): Promise<Reply>;
  close(): void;
}

/** What a window or a browser connects to. */
export interface Desk {
  connect(shell: Shell, post: (batch: StreamBatch) => void): DeskClient;
}
