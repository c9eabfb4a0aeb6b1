import type { Settings } from "../../shared/settings.ts";
import type { Inbound, Session, StopReason, TurnRecord } from "../../shared/turn.ts";
import type { ChatHit, FetchState, ModelCard, TurnView } from "../../shared/views.ts";

/** A chat as it is stored. */
export interface StoredChat extends Session {
  readonly pinned: boolean;
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

  turn(id: string): TurnRecord | undefined;
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
}

/** The models of this computer, as the page sees and changes them. */
export interface ModelDesk {
  list(): Promise<{ models: ModelCard[]; memoryBytes: number }>;
  /** Starts or resumes a download; how it goes is told through the listener it was made with. Throws not-found. */
  fetch(modelId: string): void;
  pause(modelId: string): void;
  /** Downloads of this run of the app. */
  fetches(): FetchState[];
  /** Checks that the model is there and makes it the default. Throws model-missing, model-invalid, … */
  use(model: string): Promise<{ name: string }>;
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
  settings(): Settings;
  /** Throws bad-request for a value that is not allowed. */
  changeSettings(change: Partial<Settings>): Settings;
  /** The message is on disk when it returns. */
  accept(message: { id: string; channel: string; sessionId: string; text: string; replaces?: string }): {
    inboundId: string;
    repaired: boolean;
  };
  stop(chatId: string): { stopped: number; drafts: number };
  /** Lets a chat go on with what waits in its queue. */
  wake(chatId: string): void;
  isRunning(chatId: string): boolean;
  /** Resolves when what runs in the chat now is over. */
  settled(chatId: string): Promise<void>;
  now(): number;
  newId(): string;
}
