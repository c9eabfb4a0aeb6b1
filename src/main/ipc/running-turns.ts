import type { TurnEvent } from "../../shared/events.ts";
import { applyTurnEvent, continuedView, startedView } from "../../shared/turn-view.ts";
import type { TurnView } from "../../shared/views.ts";
import type { DeskStore } from "./backend.ts";

/**
 * Each turn that runs, as its events have made it so far. A page that comes in the middle reads it here: the store has
 * streamed text only now and then.
 */
export function createRunningTurns(storeOf: (chatId: string) => DeskStore) {
  const views = new Map<string, TurnView>();

  function begin({ sessionId, turnId, inboundId, continued }: Extract<TurnEvent, { type: "turn.started" }>): void {
    const store = storeOf(sessionId);
    const stored = continued ? store.turnView(turnId) : undefined;
    if (stored) {
      views.set(turnId, continuedView(stored));
      return;
    }
    const [turn, inbound] = [store.turn(turnId), store.inbound(inboundId)];
    if (turn && inbound) views.set(turnId, startedView(inbound, { turnId, startedAt: turn.startedAt }));
  }

  return {
    apply(event: TurnEvent): void {
      if (event.type === "turn.started") begin(event);
      const view = "turnId" in event ? views.get(event.turnId) : undefined;
      if (!view) return;
      if (event.type === "turn.ended") views.delete(view.turn.id);
      else views.set(view.turn.id, applyTurnEvent(view, event));
    },
    /** A stored turn, as it is at this moment if it runs. */
    current(stored: TurnView): TurnView {
      const live = views.get(stored.turn.id);
      return live ? { ...live, variants: stored.variants } : stored;
    },
    /** The message that a running turn answers. */
    inbound: (turnId: string) => views.get(turnId)?.inbound,
    isIn(chatId: string): boolean {
      return [...views.values()].some(({ turn }) => turn.sessionId === chatId);
    },
  };
}
