import type { FinishReason } from "../../shared/inference.ts";
import type { StopReason } from "../../shared/turn.ts";

/** What is known of an answer when the runner has to choose its next step. */
export interface Seen {
  readonly finish: FinishReason;
  /** No visible text but white space: in the whole answer, and in the part that this request added. */
  readonly blank: boolean;
  readonly blankPart: boolean;
  /** Whole calls that can be run, and those that cannot. */
  readonly usable: number;
  readonly unusable: number;
  /** The request forbade tools. */
  readonly plain: boolean;
}

/** What happened in this turn before; tools that ran set the first two back. */
export interface Counts {
  readonly blanks: number;
  readonly lengths: number;
  readonly malformed: number;
}

export type Next =
  | { readonly do: "run-tools" }
  /** Tell the model what was wrong with its calls and ask again. */
  | { readonly do: "correct" }
  /** Ask once more, without tools, for an answer in words. */
  | { readonly do: "ask-plain" }
  | { readonly do: "ask-again" }
  /** The answer was cut: go on from its last words. */
  | { readonly do: "continue" }
  | { readonly do: "end"; readonly stopReason: StopReason; readonly whole: boolean };

const MAX_CONTINUATIONS = 3;

/** Under any other reason to finish, calls are not run: the answer was cut or withdrawn. */
const callingFinishes: ReadonlySet<FinishReason> = new Set(["tool_calls", "function_call", "stop"]);

export const mayCall = ({ finish, plain }: Pick<Seen, "finish" | "plain">): boolean =>
  !plain && callingFinishes.has(finish);

/** The branch table of turns.md §3, without its failures: those end the run before it comes here. */
export function nextStep(seen: Seen, counts: Counts): Next {
  if (mayCall(seen) && seen.usable > 0) return { do: "run-tools" };
  if (mayCall(seen) && seen.unusable > 0) return { do: counts.malformed === 0 ? "correct" : "ask-plain" };
  if (seen.finish === "refusal" || seen.finish === "content_filter") {
    return { do: "end", stopReason: "completed", whole: true };
  }
  if (seen.blank) return afterBlank(counts);
  if (seen.finish !== "length") return { do: "end", stopReason: "completed", whole: true };
  if (!seen.blankPart && counts.lengths < MAX_CONTINUATIONS) return { do: "continue" };
  return { do: "end", stopReason: "completed", whole: false };
}

function afterBlank({ blanks }: Counts): Next {
  if (blanks === 0) return { do: "ask-again" };
  if (blanks === 1) return { do: "ask-plain" };
  return { do: "end", stopReason: "empty", whole: true };
}
