import { createApp } from "../../src/main/app.ts";
import type { Provider } from "../../src/main/providers/provider.ts";
import type { Desk, Shell } from "../../src/shared/bridge.ts";
import { AppError } from "../../src/shared/errors.ts";
import { TurnEvent } from "../../src/shared/events.ts";
import type { CallInput, CallName, CallOutput } from "../../src/shared/ipc.ts";
import type { NumberedEvent, StreamBatch, StreamEvent } from "../../src/shared/stream.ts";
import type { Inbound } from "../../src/shared/turn.ts";
import { applyTurnEvent, startedView } from "../../src/shared/turn-view.ts";
import type { ChatSnapshot, TurnView } from "../../src/shared/views.ts";
import { temporaryFolder } from "./stored-turn.ts";

/** The whole app over an empty folder, with a scripted model. */
export async function anApp(provider: Provider, dataFolder = temporaryFolder()) {
  const app = await createApp({ dataFolder, workspace: temporaryFolder(), provider });
  return { ...app, dataFolder };
}

/** A page without a screen: calls, acknowledges batches, and remembers what it was told. */
export function aPage(desk: Desk, shell: Shell = { kind: "window" }) {
  const told: NumberedEvent[] = [];
  const batches: StreamBatch[] = [];
  const waiting = new Set<() => void>();
  const client = desk.connect(shell, (batch) => {
    batches.push(batch);
    told.push(...batch.events);
    void client.call("stream.ack", { seq: batch.seq });
    for (const look of [...waiting]) look();
  });

  async function call<N extends CallName>(name: N, input: CallInput<N>): Promise<CallOutput<N>> {
    const reply = await client.call(name, input);
    if (!reply.ok) throw new AppError(reply.error.code, reply.error.message);
    return reply.value as CallOutput<N>;
  }

  /** The first event that fits, of those that came or come. */
  function heard<T extends StreamEvent["type"]>(
    type: T,
    fits: (event: Extract<StreamEvent, { type: T }>) => boolean = () => true,
  ): Promise<Extract<StreamEvent, { type: T }>> {
    return new Promise((resolve) => {
      const look = () => {
        const found = told.find(({ event }) => event.type === type && fits(event as Extract<StreamEvent, { type: T }>));
        if (!found) return;
        waiting.delete(look);
        resolve(found.event as Extract<StreamEvent, { type: T }>);
      };
      waiting.add(look);
      look();
    });
  }

  let sent = 0;

  /** Sends a message and waits until its turn is stored. */
  async function say(chatId: string, text: string, more: { replaces?: string } = {}): Promise<TurnView> {
    const inboundId = `said-${++sent}-${chatId}`;
    await call("turns.send", { chatId, inboundId, text, ...more });
    return (await heard("turn.stored", ({ view }) => view.inbound.id === inboundId)).view;
  }

  return { ...client, call, heard, say, told, batches };
}

/** The turns of a snapshot after all later events but `turn.stored`, as a page keeps them. */
export function folded(snapshot: ChatSnapshot, told: readonly NumberedEvent[]): Map<string, TurnView> {
  const views = new Map(snapshot.turns.map((view) => [view.turn.id, view]));
  const inbounds = new Map(snapshot.waiting.map((inbound) => [inbound.id, inbound]));
  for (const { event } of told.filter(({ n }) => n > snapshot.at)) {
    if (event.type === "accepted") inbounds.set(event.inbound.id, event.inbound);
    const turnEvent = TurnEvent.safeParse(event).data;
    if (!turnEvent || !("turnId" in turnEvent) || turnEvent.sessionId !== snapshot.chat.id) continue;
    const view = views.get(turnEvent.turnId) ?? begun(turnEvent, inbounds);
    if (view) views.set(view.turn.id, applyTurnEvent(view, turnEvent));
  }
  return views;
}

function begun(event: TurnEvent, inbounds: ReadonlyMap<string, Inbound>): TurnView | undefined {
  const inbound = event.type === "turn.started" ? inbounds.get(event.inboundId) : undefined;
  return inbound && event.type === "turn.started"
    ? startedView(inbound, { turnId: event.turnId, startedAt: 0 })
    : undefined;
}
