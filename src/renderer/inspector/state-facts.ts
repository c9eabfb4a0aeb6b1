import type { RequestRecord, StopReason, TraceEntry } from "../../shared/turn.ts";
import type { TurnView } from "../../shared/views.ts";
import type { Fact, TraceWord } from "./fact.ts";
import { requestsIn, type Span } from "./run-window.ts";

const stopWords: Readonly<Partial<Record<StopReason, TraceWord>>> = {
  completed: "trace.completed",
  max_iterations: "trace.maxIterations",
  tool_error: "trace.toolError",
  empty: "trace.empty",
  needs_user: "trace.needsUser",
};

/** Notes of main that say something the page has its own words for, or shows better. */
const knownNotes: ReadonlyArray<readonly [RegExp, TraceWord | undefined]> = [
  [/^request \d+: /, undefined],
  [/^(\d+) earlier rows$/, "trace.earlierRows"],
  [/^shortened (\d+) old tool results$/, "trace.shortened"],
  [/^left out the (\d+) oldest messages$/, "trace.leftOut"],
  [/^(\d+) calls broke off and were not run$/, "trace.brokenCalls"],
  [/^stopped after (\d+) requests$/, "trace.limitReached"],
  [/^took in (\d+) follow-ups$/, "trace.followUps"],
];

/** What a state did, in words. */
export function factsOf(view: TurnView, entry: TraceEntry, span: Span): Fact[] {
  return [...outcomeFacts(view, entry, span), ...(entry.notes ?? []).flatMap(noteFacts)];
}

function noteFacts(note: string): Fact[] {
  for (const [pattern, word] of knownNotes) {
    const found = pattern.exec(note);
    if (!found) continue;
    const count = Number(found[1]);
    return word && count > 0 ? [{ word, figures: { count } }] : [];
  }
  return [{ note }];
}

function outcomeFacts(view: TurnView, entry: TraceEntry, span: Span): Fact[] {
  const { state, outcome, notes = [] } = entry;
  if (outcome === "aborted") return [{ word: "trace.stopped" }];
  if (outcome === "failed") return [{ word: "trace.failed" }];
  switch (state) {
    case "restore":
      return [{ word: "trace.restored" }];
    case "compact":
      return notes.length > 0 ? [] : [{ word: "trace.nothingToDo" }];
    case "command":
      return [{ word: outcome === "shortcut" ? "trace.aCommand" : "trace.notACommand" }];
    case "build":
      return [...promptFact(requestsIn(view, span)), { word: "trace.userRowStored" }];
    case "run":
      return [{ word: outcome === "overflow" ? "trace.overflow" : stopWord(view) }];
    case "save":
      return [{ word: "trace.rows", figures: { count: view.rows.length } }];
    case "respond":
      return [{ word: "trace.delivered" }];
    case "done":
      return [];
    default:
      return state satisfies never;
  }
}

/** The prompt is measured by the model: known once its first request is over. */
function promptFact([first]: readonly RequestRecord[]): Fact[] {
  return first?.usage ? [{ word: "trace.prompt", figures: { count: first.usage.inputTokens } }] : [];
}

/** How the run ended: while the turn goes on, all that is known is that it has an answer. */
const stopWord = ({ turn }: TurnView): TraceWord => stopWords[turn.stopReason ?? "completed"] ?? "trace.completed";
