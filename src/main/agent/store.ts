import type { Mark } from "../../shared/cloud.ts";
import type { Goal } from "../../shared/goal.ts";
import type { Message, MessageEnd, NewMessage, SearchHit } from "../../shared/message.ts";
import type {
  Inbound,
  Phase,
  Recovery,
  RequestRecord,
  Session,
  ToolCallChange,
  ToolCallRecord,
  TraceEntry,
  TurnEnd,
  TurnRecord,
  TurnState,
} from "../../shared/turn.ts";
import type { Notice } from "../../shared/views.ts";

/**
 * What the agent needs of a store. Every function is synchronous and durable when it returns
 * (one transaction each, or one for all inside `atomically`); each throws AppError
 * (disk-full, disk-error, data-read-only, data-damaged, not-found) and then has changed nothing.
 */
export interface Store {
  /** All or nothing. May be nested: the outermost call commits. */
  atomically<T>(work: () => T): T;

  /** Finds the session or makes it. */
  openSession(id: string, now: number): Session;
  /** Undefined: not there, or deleted by a person. */
  chat(id: string): Session | undefined;
  setSessionModel(id: string, model: string | undefined): void;

  /** Takes a message in, and makes its session if it is not there. Accepting the same id twice changes nothing. */
  accept(inbound: Omit<Inbound, "state">): void;
  inbound(id: string): Inbound | undefined;
  /** The oldest accepted message of a session: the head of its durable queue. */
  nextAccepted(sessionId: string): Inbound | undefined;
  sessionsWaiting(): string[];
  /** Turns what still waits in the session's queue into drafts and returns them, oldest first. */
  draftWaiting(sessionId: string): Inbound[];

  /** What waits in a session and may join the running turn, oldest first. */
  followUps(sessionId: string): Inbound[];
  /** A message that waits joins the running turn; to be called in the write that stores its row. */
  injectInbound(id: string, turnId: string): void;

  /**
   * Starts a turn in `restore` and takes its message out of the queue. The turn follows the last shown one of its
   * session; if its message `replaces` a turn, it stands beside that one, and what followed that one is hidden.
   */
  beginTurn(turn: { id: string; sessionId: string; inboundId: string; startedAt: number }): void;
  /** A step is over: its trace entry and the state that comes next, in one write. */
  advance(entry: TraceEntry, next: TurnState): void;
  /** `tools_completed` is never set: a turn is in it as soon as no call of `awaiting_tools` is open. */
  setPhase(turnId: string, phase: Exclude<Phase, "tools_completed">, iteration: number): void;
  /** The turn is over: state done, its inbound message saved. */
  endTurn(turnId: string, end: TurnEnd): void;
  /** Takes the end of an interrupted turn back: it goes on in `state`. */
  reopenTurn(turnId: string, state: TurnState): void;
  /** Removes a turn that has no rows yet: its message is a draft again. */
  undoTurn(turnId: string): void;
  /** Undefined: there is nothing left to decide or to see. */
  setRecovery(turnId: string, recovery: Recovery | undefined): void;
  /** Shown turns that a crash left to be decided or seen, oldest first; of one session, or of all. */
  recoveries(sessionId?: string): TurnRecord[];
  turn(id: string): TurnRecord | undefined;
  /** The newest turn of a session that has ended and was not a slash command. */
  lastTurn(sessionId: string): TurnRecord | undefined;
  unfinishedTurns(): TurnRecord[];
  trace(turnId: string): TraceEntry[];
  /** Something the person is told beside the answer; it stays with the turn. */
  addNotice(turnId: string, notice: Notice): void;

  /** What goes to the provider with a request, exactly, as JSON. In memory until `endTurn`, which puts it on disk. */
  keepSent(turnId: string, number: number, sent: string): void;
  /** A request that is over. */
  insertRequest(request: RequestRecord): void;
  /** The requests of a turn that are over, in order. */
  requests(turnId: string): RequestRecord[];

  append(message: NewMessage): Message;
  /** More streamed content of a row that is `streaming`; neighbouring pieces of one kind read back as one part. */
  appendChunk(messageId: number, kind: "text" | "reasoning", text: string): void;
  /** Closes a pending or streaming row. A closed row never changes again: closing it twice is an error. */
  finish(messageId: number, end: MessageEnd): Message;
  turnMessages(turnId: string): Message[];
  /** At most `limit` rows of a session's shown branch with ids below `before` (default: the newest), oldest first. */
  page(sessionId: string, options: { before?: number; limit: number }): Message[];
  /** Words, parts of words and Chinese, over user and assistant text; best first. */
  search(query: string, options: { sessionId?: string; limit: number }): SearchHit[];

  insertCall(call: ToolCallRecord): void;
  setCall(turnId: string, id: string, change: ToolCallChange): void;
  calls(turnId: string): ToolCallRecord[];

  /** The goal of a session, reached or not. */
  goal(sessionId: string): Goal | undefined;
  /** Puts it in the place of the one before. */
  setGoal(goal: Goal): void;

  /** What never goes to a cloud model. */
  marks(): Mark[];
  isMarked(kind: Mark["kind"], ref: string): boolean;

  setting(key: string): string | undefined;
  setSetting(key: string, value: string): void;
}
