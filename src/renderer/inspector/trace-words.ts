import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { ToolCallState, TurnState } from "../../shared/turn.ts";
import type { Fact, TraceWord } from "./fact.ts";
import { lengthOf } from "./figures.ts";

/** The states by their names. */
export const stateWords = {
  restore: "trace.restore",
  compact: "trace.compact",
  command: "trace.command",
  build: "trace.build",
  run: "trace.run",
  save: "trace.save",
  respond: "trace.respond",
  done: "trace.done",
} as const satisfies Record<TurnState, TraceWord>;

export const callWords = {
  requested: "trace.callRequested",
  approved: "trace.callApproved",
  denied: "trace.callDenied",
  running: "trace.callRunning",
  finished: "trace.callFinished",
  failed: "trace.callFailed",
  unknown: "trace.callUnknown",
  skipped: "trace.callSkipped",
} as const satisfies Record<ToolCallState, TraceWord>;

/** A fact in the language of the page. */
export function sayFact(fact: Fact, t: TFunction, language: string): string {
  if ("note" in fact) return fact.note;
  const { ms, ...figures } = fact.figures ?? {};
  return t(fact.word, { ...figures, ...(ms !== undefined && { ms: lengthOf(ms, language) }) });
}

/** The words of the trace: `t`, the language, facts on one line, lengths of time. */
export function useTraceWords() {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  return {
    t,
    language,
    say: (facts: readonly Fact[]) => facts.map((fact) => sayFact(fact, t, language)).join(" · "),
    length: (ms: number) => lengthOf(ms, language),
  };
}
