import type { AppError } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/events.ts";
import type { Goal } from "../../shared/goal.ts";
import type { ModelInfo } from "../../shared/inference.ts";
import type { Message } from "../../shared/message.ts";
import type { Settings } from "../../shared/settings.ts";
import type { Session, TurnState } from "../../shared/turn.ts";
import type { Log } from "../lib/log.ts";
import type { Progress } from "../lib/progress.ts";
import type { Breakers } from "../providers/breaker.ts";
import type { Provider } from "../providers/provider.ts";
import type { ResultFiles } from "../tools/result-files.ts";
import type { Tool } from "../tools/tool.ts";
import type { Hooks } from "./hooks.ts";
import type { Pause } from "./pause.ts";
import type { RowCache } from "./row-cache.ts";
import type { AgentRunResult } from "./runner.ts";
import type { Store } from "./store.ts";
import type { TokenCounts } from "./tokens.ts";

/** What a turn runs with. Frozen in `build`: a settings change meanwhile touches the next turn only. */
export interface Runtime {
  readonly provider: Provider;
  readonly info: ModelInfo;
  readonly settings: Settings;
  readonly tools: readonly Tool[];
  /** Absolute path of the folder the model may look into. */
  readonly workspace: string;
}

/** Everything known about one turn. Steps read it and return changes; only the driver writes it. */
export interface Turn {
  readonly id: string;
  readonly sessionId: string;
  readonly inboundId: string;
  readonly input: string;
  readonly state: TurnState;
  readonly startedAt: number;
  readonly session?: Session;
  readonly userMessage?: Message;
  readonly runtime?: Runtime;
  /** What the model is told about itself, and the earlier rows that fit. The turn's own rows follow them. */
  readonly system?: string;
  readonly history: readonly Message[];
  /** How often the prompt was found too long after it was built. */
  readonly overflows: number;
  /** Requests to the model that were made so far. */
  readonly requests: number;
  /** It goes on after a crash: some of its rows are there already. */
  readonly continued?: boolean;
  readonly result?: AgentRunResult;
  /** What the channel shows as the answer. */
  readonly reply?: string;
  readonly nextSessionId?: string;
  readonly error?: AppError;
}

/** What the commands and the status line may ask of the loop around the turns. */
export interface LoopControl {
  stop(sessionId: string): { stopped: number; drafts: number };
  status(): { running: number; waiting: number };
  /** Throws not-found where the session has no goal. */
  changeGoal(sessionId: string, action: "pause" | "resume" | "cancel"): Goal;
}

/** A session and the model it is to be answered by; absent: the default. */
export type SessionModel = Pick<Session, "id" | "model">;

/** The models of this computer and beyond, as a turn needs them. */
export interface Models {
  /**
   * The one a session wants (its own, or the default), fetched on the way if the person agrees. Throws model-missing and
   * the like; of a cloud model also consent-needed, never-cloud, local-mode.
   */
  provider(session: SessionModel, signal: AbortSignal, onFetch: Progress): Promise<Provider>;
  /** What may be asked instead when a session's model cannot answer, in order: only what the person has allowed. */
  fallbacks(session: SessionModel): readonly string[];
  /** What may be named with /model. */
  list(): Promise<string[]>;
  /** What a session is to be given for a name that a person wrote. Throws AppError model-missing when there is no such model. */
  check(name: string): Promise<string>;
}

export interface TurnDeps {
  readonly store: Store;
  readonly emit: (event: TurnEvent) => void;
  readonly signal: AbortSignal;
  /** Epoch milliseconds, for people. */
  readonly now: () => number;
  /** Milliseconds that only grow, for measuring. */
  readonly monotonicMs: () => number;
  readonly newId: () => string;
  readonly log: Log;
  readonly settings: () => Settings;
  readonly tokens: TokenCounts;
  readonly rows: RowCache;
  readonly timeZone: string;
  readonly workspace: () => string;
  readonly tools: readonly Tool[];
  readonly models: Models;
  /** Which models fail just now. */
  readonly breakers: Breakers;
  /** The turn's wait between two tries. */
  readonly pause: Pause;
  /** [0, 1) */
  readonly random: () => number;
  /** The workspace files that a message names. */
  readonly namedFiles: (text: string, workspace: string) => Promise<string[]>;
  readonly control: LoopControl;
  readonly hooks?: readonly Hooks[];
  /** Results too long for a prompt. Absent: nothing of these chats may touch the disk. */
  readonly results?: ResultFiles;
}

/** What a step gives back: which edge to take, what it learned, and what the trace should say. */
export type StepResult<O extends string> = { readonly outcome: O; readonly notes?: readonly string[] } & Partial<
  Omit<Turn, "id" | "sessionId" | "inboundId" | "state">
>;
export type Step<O extends string> = (turn: Turn, deps: TurnDeps) => Promise<StepResult<O>>;

export interface Row {
  readonly step: Step<string>;
  readonly next: Readonly<Record<string, TurnState>>;
  readonly resumeAt: Exclude<TurnState, "done">;
}

/** Ties a step's outcomes to its edges: forget one, or invent one, and it does not compile. */
export function row<O extends string>(
  step: Step<O>,
  next: Readonly<Record<NoInfer<O> | "failed" | "aborted", TurnState>>,
  resumeAt: Exclude<TurnState, "done">,
): Row {
  return { step, next, resumeAt };
}
