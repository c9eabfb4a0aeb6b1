import type { RequestRecord, ToolCallRecord } from "../../shared/turn.ts";
import type { TurnView } from "../../shared/views.ts";

/** The part of a turn that one run covers. Epoch milliseconds. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** The requests of a run, in order. */
export const requestsIn = ({ requests }: TurnView, { from, until }: Span): RequestRecord[] =>
  requests
    .filter(({ startedAt }) => startedAt >= from && startedAt < until)
    .sort((one, other) => one.number - other.number);

/** The calls that began in that time. */
export function callsIn(view: TurnView, { from, until }: Span): ToolCallRecord[] {
  return view.calls.filter((call) => {
    const start = startOf(view, call);
    return start >= from && start < until;
  });
}

/** A call that never started stands where the row that asked for it does. */
function startOf({ rows, turn }: TurnView, { startedAt, messageId }: ToolCallRecord): number {
  return startedAt ?? rows.find(({ id }) => id === messageId)?.createdAt ?? turn.startedAt;
}
