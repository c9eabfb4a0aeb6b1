import type { TurnView } from "../../shared/views.ts";

/** The states of a turn in one line over its answer, alive while it runs. */
export function TraceStrip({ view }: { view: TurnView }) {
  return <div>{view.turn.state}</div>;
}
