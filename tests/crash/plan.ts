import type { Habit } from "./person.ts";
import type { Defect } from "./scene.ts";

/** What one run of the subject does, as it crosses on the command line. */
export interface Plan {
  readonly dataFolder: string;
  readonly workspace: string;
  /** First: what is done about what the last run left. */
  readonly recover?: Habit | undefined;
  readonly again?: boolean | undefined;
  /** Then this task is sent; with follow-ups in the middle of it. */
  readonly task?: string | undefined;
  readonly followUps?: boolean | undefined;
  /** So often, while it is refused. */
  readonly retries?: number | undefined;
  /** A second task, sent until it is accepted. */
  readonly afterwards?: string | undefined;
  readonly pauseMs?: number | undefined;
  /** Added to the clock from the start on, ms. */
  readonly clockOffset?: number | undefined;
  /** At the event with this number the clock jumps, the process stands still, or the person stops the turn. */
  readonly jump?: { readonly at: number; readonly ms: number } | undefined;
  readonly freezeAt?: number | undefined;
  readonly stopAt?: number | undefined;
  readonly defect?: Defect | undefined;
}
