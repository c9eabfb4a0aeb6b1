import type { Usage } from "../../shared/message.ts";
import { isPrivate } from "../lib/chat-id.ts";
import { monotonicMs } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Running } from "./launcher.ts";
import { reasonOf } from "./model-records.ts";
import type { SavedState, StateOutcome } from "./protocol.ts";
import { SaveReply, understood } from "./replies.ts";
import { StateFiles, type StateFilesOptions, type StateOwner } from "./state-files.ts";

export interface StateStoreOptions extends StateFilesOptions {
  /** Milliseconds without use after which the state is saved. */
  readonly idleMs?: number;
}

/** What the model of a child has read, and how much of it since it was last saved. */
interface Held {
  readonly running: Running;
  readonly chatId: string;
  readonly tokens: number;
  readonly fresh: number;
}

/** Shorter chats are read again as fast. */
const leastTokens = 512;
/** Nothing is written for fewer new tokens than these, or than this part of all: a return reads them again. */
const leastFresh = 64;
const leastFreshPart = 0.05;
/** What the end of a child may be put off by. */
const flushMs = 1_000;

/** When what a model has read is saved, and for which request it is taken back. Never of private or deleted chats. */
export class StateStore {
  readonly #files: StateFiles;
  readonly #log: Log;
  readonly #idleMs: number;
  readonly #deleted = new Set<string>();
  #held: Held | undefined;
  /** The request that was given a state and has no answer yet. */
  #offered: Pick<Held, "running" | "chatId"> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();
  #stop = new AbortController();

  constructor({ idleMs = 3_000, ...options }: StateStoreOptions) {
    this.#files = new StateFiles(options);
    this.#log = options.log;
    this.#idleMs = idleMs;
  }

  /** Before a request: whatever is being saved makes way. Gives the chat's state when the child has another chat's, or none. */
  async enter(running: Running, chatId: string): Promise<SavedState | undefined> {
    clearTimeout(this.#idle);
    this.#stop.abort();
    if (this.#held?.running === running && this.#held.chatId === chatId) return undefined;
    this.#held = undefined;
    try {
      await this.#discardDeadly();
      const state = isKept(chatId, this.#deleted) ? await this.#files.find(ownerOf(running, chatId)) : undefined;
      this.#offered = state && { running, chatId };
      return state;
    } catch (thrown) {
      this.#note("not-found", thrown);
      return undefined;
    }
  }

  /** After its answer. */
  leave(running: Running, chatId: string, usage: Usage | undefined, outcome: StateOutcome | undefined): void {
    this.#offered = undefined;
    if (outcome === "restored") this.#log.info("state.restored", { tokens: usage?.reusedTokens });
    if (outcome === "refused")
      this.#files.discard(ownerOf(running, chatId), "damaged").catch((thrown) => this.#note("not-removed", thrown));
    if (!usage || !isKept(chatId, this.#deleted)) return;
    const { inputTokens, reusedTokens, outputTokens } = usage;
    const fresh = (this.#held?.fresh ?? 0) + inputTokens - reusedTokens + outputTokens;
    this.#held = { running, chatId, tokens: inputTokens + outputTokens, fresh };
    this.#idle = setTimeout(() => this.#save(), this.#idleMs);
    this.#idle.unref();
  }

  /** The chat was deleted for good: its states go, and none is made any more. Throws the disk's error. */
  async forget(chatId: string): Promise<void> {
    this.#deleted.add(chatId);
    if (this.#held?.chatId === chatId) {
      this.#stop.abort();
      this.#held = undefined;
    }
    await this.#files.remove(chatId);
  }

  /** Saves what is not saved yet, if it takes no longer than a moment. */
  async flush(): Promise<void> {
    clearTimeout(this.#idle);
    this.#save();
    let limit: NodeJS.Timeout | undefined;
    const moment = new Promise((resolve) => {
      limit = setTimeout(resolve, flushMs);
    });
    await Promise.race([this.#saving, moment]).finally(() => clearTimeout(limit));
  }

  /** Resolves when nothing is being written any more; a dead child ends that soon. */
  settled(): Promise<void> {
    return this.#saving;
  }

  /** A child that died of a request with a state may have died of the state. */
  async #discardDeadly(): Promise<void> {
    if (!this.#offered || this.#offered.running.process.isAlive) return;
    await this.#files.discard(ownerOf(this.#offered.running, this.#offered.chatId), "the engine stopped");
  }

  #save(): void {
    const held = this.#held;
    if (!held || !isWorthIt(held) || !held.running.process.isAlive || held.running.process.isBusy) return;
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    this.#saving = this.#write(held, signal).catch((thrown: unknown) => {
      if (!signal.aborted) this.#note("not-saved", thrown);
    });
  }

  async #write(held: Held, signal: AbortSignal): Promise<void> {
    const { running, chatId } = held;
    const start = monotonicMs();
    const owner = ownerOf(running, chatId);
    const draft = await this.#files.begin(owner);
    if (!draft) return;
    try {
      const answer = await running.process.request({ type: "save", ...draft }, signal, () => undefined);
      const content = understood(SaveReply.safeParse(answer).data);
      signal.throwIfAborted();
      await this.#files.keep(owner, draft, content);
      if (this.#deleted.has(chatId)) return await this.#files.remove(chatId);
      if (this.#held === held) this.#held = { ...held, fresh: 0 };
      const { tokens, bytes } = content;
      this.#log.info("state.saved", { tokens, bytes, ms: Math.round(monotonicMs() - start) });
    } catch (thrown) {
      await this.#files.drop(draft);
      throw thrown;
    }
  }

  #note(what: string, thrown: unknown): void {
    this.#log.warn(`state.${what}`, { code: reasonOf(thrown) });
  }
}

const isKept = (chatId: string, deleted: ReadonlySet<string>): boolean => !isPrivate(chatId) && !deleted.has(chatId);

const ownerOf = ({ file, loaded }: Running, chatId: string): StateOwner => ({ chatId, file, key: loaded.stateKey });

const isWorthIt = ({ tokens, fresh }: Held): boolean =>
  tokens >= leastTokens && fresh >= Math.max(leastFresh, tokens * leastFreshPart);
