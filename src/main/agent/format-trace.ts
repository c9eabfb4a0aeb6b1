import type { TraceEntry } from "../../shared/turn.ts";

/** A trace as lines for a terminal: state, outcome, milliseconds, and what the step had to say. */
export function formatTrace(entries: readonly TraceEntry[]): string {
  return entries.map(formatEntry).join("\n");
}

function formatEntry({ state, outcome, ms, error, notes }: TraceEntry): string {
  const line = `${state.padEnd(8)} ${outcome.padEnd(9)} ${ms.toFixed(1).padStart(9)} ms`;
  const more = [...(error ? [error.message] : []), ...(notes ?? [])].map((text) => `\n           ${text}`);
  return line + more.join("");
}
