import type {
  CloudConnection,
  CloudOverview,
  CloudPreset,
  Leaving,
  Mark,
  OfferedModel,
  VaultTier,
  VendorId,
} from "../../shared/cloud.ts";
import type { WireError } from "../../shared/errors.ts";
import type { Goal } from "../../shared/goal.ts";
import type { HealthReport, Storage } from "../../shared/health.ts";
import type { LedgerRow, LedgerTotals } from "../../shared/network.ts";
import type { Settings } from "../../shared/settings.ts";
import type { Decision, Inbound, Session, StopReason, TurnRecord } from "../../shared/turn.ts";
import type { ChatHit, EngineState, FetchState, HubFile, ModelCard, ModelFacts, TurnView } from "../../shared/views.ts";

/** A chat as it is stored. */
export interface StoredChat extends Session {
  readonly pinned: boolean;
  /** Marked: it never goes to a cloud model. */
  readonly neverCloud: boolean;
  /** How its newest turn ended. */
  readonly lastStop?: StopReason;
}

/** What the desk needs of a store. Synchronous and durable when it returns; throws AppError (not-found, disk-full, …). */
export interface DeskStore {
  /** Without the deleted ones, the one changed last first. */
  chats(): StoredChat[];
  /** Undefined: not there, or deleted. */
  chat(id: string): StoredChat | undefined;
  renameChat(id: string, title: string): void;
  pinChat(id: string, pinned: boolean): void;
  setSessionModel(id: string, model: string | undefined): void;
  /** Hides a chat from everything; until it is purged it can be restored. */
  deleteChat(id: string, now: number): void;
  restoreChat(id: string): void;
  /** Removes for good what was deleted before `deletedBefore` (epoch ms), rows, index and all. Returns the ids. */
  purgeChats(deletedBefore: number): string[];

  /** What was typed and not sent; empty if nothing. */
  draft(chatId: string): string;
  setDraft(chatId: string, text: string, now: number): void;

  /** Accepted messages and drafts of a chat, oldest first. */
  waiting(chatId: string): Inbound[];
  inbound(id: string): Inbound | undefined;
  /** A draft goes back into the queue; an accepted one stays. */
  sendDraft(inboundId: string): Inbound;
  /** Throws bad-request when a turn has it already. */
  dropInbound(inboundId: string): Inbound;
  /** Whether a message that waits is answered after the running turn, and not in it. */
  setAfter(inboundId: string, after: boolean): Inbound;
  goal(chatId: string): Goal | undefined;

  turn(id: string): TurnRecord | undefined;
  /** Shown turns that a crash left to be decided or seen, oldest first. */
  recoveries(): TurnRecord[];
  turnView(turnId: string): TurnView | undefined;
  /**
   * Turns of the shown branch, oldest first: the newest `limit` ones before the turn `before` (default: the end), and
   * with `through` as many more as it takes to have that one.
   */
  turnViews(chatId: string, options: { before?: string; through?: string; limit: number }): TurnView[];
  /** Shows the branch that has this turn, with the newest of what followed it. */
  showTurn(turnId: string): void;
  /** What was sent, as JSON; undefined: not kept any more. */
  sentRequest(turnId: string, number: number): string | undefined;
  searchChats(query: string, limit: number): ChatHit[];

  /** What left this computer, newest first. */
  ledgerRows(query: { chatId?: string | undefined; before?: number | undefined; limit: number }): LedgerRow[];
  ledgerTotals(chatId?: string): LedgerTotals;
  marks(): Mark[];
  isMarked(kind: Mark["kind"], ref: string): boolean;
  setMark(mark: Mark, never: boolean, now: number): void;
  allowLeaving(chatId: string, connectionId: string, allowed: boolean, now: number): void;
}

/** Cloud models and their keys, as the page sees and changes them. Each throws AppError (bad-request, key-locked, …). */
export interface CloudDesk {
  overview(): Promise<CloudOverview>;
  connect(wanted: {
    vendor: VendorId;
    name: string;
    baseUrl?: string | undefined;
    key?: string | undefined;
  }): Promise<CloudConnection>;
  disconnect(connectionId: string): Promise<void>;
  setKey(connectionId: string, key: string): Promise<void>;
  test(connectionId: string): Promise<{ ok: boolean; error?: WireError }>;
  models(connectionId: string): Promise<OfferedModel[]>;
  savePreset(preset: Omit<CloudPreset, "id"> & { id?: string | undefined }): CloudPreset;
  removePreset(presetId: string): void;
  chooseVault(tier: VaultTier, passphrase: string | undefined): Promise<void>;
  unlockVault(passphrase: string | undefined): Promise<void>;
  /** What would leave with the next message of a chat. */
  leaving(chatId: string, presetId: string): Leaving;
}

/** The models of this computer, as the page sees and changes them. Each throws AppError (not-found, local-mode, model-invalid, …). */
export interface ModelDesk {
  list(): Promise<{ models: ModelCard[]; memoryBytes: number }>;
  /** Starts or resumes a download; how it goes is told through the listener it was made with. Throws not-found. */
  fetch(modelId: string): Promise<void>;
  pause(modelId: string): void;
  /** A file of the hub; it has an id of its own from then on. */
  fetchFile(file: { repository: string; file: string }): Promise<{ modelId: string }>;
  /** Throws away what came. */
  cancel(modelId: string): Promise<void>;
  remove(modelId: string): Promise<void>;
  search(query: string): Promise<HubFile[]>;
  /** What a file says of itself. */
  explain(path: string): Promise<ModelFacts>;
  add(file: { path: string; copy: boolean }): Promise<{ modelId: string }>;
  release(modelId: string, safer: boolean): Promise<void>;
  engine(): EngineState;
  unload(): Promise<void>;
  /** Downloads of this run of the app. */
  fetches(): FetchState[];
  /** Checks that the model is there and makes it the default. Throws model-missing, model-invalid, … */
  use(model: string): Promise<{ name: string }>;
}

/** What is known of the state of the data, and what can be done for it. */
export interface Health {
  storage(): Storage;
  report(): HealthReport;
  /** Begins to look at everything; how it goes is told through the listener it was made with. */
  check(): void;
  /** Begins to make a backup. */
  backUp(): void;
  /** The word about a rescue was read. */
  seen(): void;
  /** Figures and versions, nothing that was said. */
  diagnostics(): string;
}

/** What a person decides about turns that a crash interrupted. Throws not-found and bad-request. */
export interface RecoveryDesk {
  /** Goes on with the same turn and the same rows. */
  continueTurn(turnId: string): void;
  /** Leaves it as it is. */
  dismiss(turnId: string): void;
  /** After the last unknown call is decided the turn goes on. */
  decide(turnId: string, callId: string, decision: Decision): void;
}

/** Everything that stands behind the desk; app.ts builds it. */
export interface Backend {
  readonly version: string;
  readonly folders: { readonly data: string; readonly models: string };
  /** The default for new chats, if the settings name none. */
  readonly workspace: string;
  /** Chats on disk, and chats in memory only. */
  readonly stores: { readonly kept: DeskStore; readonly private: DeskStore };
  readonly models: ModelDesk;
  readonly cloud: CloudDesk;
  readonly health: Health;
  /** A text without keys: for words that are not ours and leave main. */
  redact(text: string): string;
  recovery(chatId: string): RecoveryDesk;
  /** Pauses, resumes or cancels the goal of a chat. Throws not-found where it has none. */
  changeGoal(chatId: string, action: "pause" | "resume" | "cancel"): Goal;
  settings(): Settings;
  /** Throws bad-request for a value that is not allowed. */
  changeSettings(change: Partial<Settings>): Settings;
  /** The message is on disk when it returns. */
  accept(message: { id: string; channel: string; sessionId: string; text: string; replaces?: string }): {
    inboundId: string;
    repaired: boolean;
  };
  stop(chatId: string): { stopped: number; drafts: number };
  /** Ends the wait before the next try of a request; nothing, where none is waited for. */
  retryNow(chatId: string): void;
  /** Lets a chat go on with what waits in its queue. */
  wake(chatId: string): void;
  isRunning(chatId: string): boolean;
  /** Resolves when what runs in the chat now is over. */
  settled(chatId: string): Promise<void>;
  now(): number;
  newId(): string;
}
