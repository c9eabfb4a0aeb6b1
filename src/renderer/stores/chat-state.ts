import type { AppError } from "../../shared/errors.ts";
import type { Goal } from "../../shared/goal.ts";
import type { NumberedEvent, StreamEvent } from "../../shared/stream.ts";
import type { Inbound } from "../../shared/turn.ts";
import { applyTurnEvent, continuedView, startedView } from "../../shared/turn-view.ts";
import type { ChatSnapshot, ChatSummary, TurnView } from "../../shared/views.ts";

export interface ChatState {
  readonly status: "opening" | "open" | "gone";
  readonly chat: ChatSummary | null;
  /** Turn ids of the shown branch, oldest first. */
  readonly order: readonly string[];
  readonly turns: Readonly<Record<string, TurnView>>;
  readonly hasEarlier: boolean;
  /** Accepted messages that no turn has taken yet, and drafts. */
  readonly waiting: readonly Inbound[];
  /** What the chat works towards, or did. */
  readonly goal: Goal | null;
  /** What had been typed when the chat was opened. */
  readonly draft: string;
  /** Events up to this number are in what is shown. */
  readonly at: number;
  /** Another branch is shown now, or events were lost: the chat has to be read again. */
  readonly isStale: boolean;
  /** Why the last thing asked for could not be done. */
  readonly problem: AppError | null;
  /** Characters of the last message were damaged and were replaced. */
  readonly isRepaired: boolean;
}

export const closedChat: ChatState = {
  status: "opening",
  chat: null,
  order: [],
  turns: {},
  hasEarlier: false,
  waiting: [],
  goal: null,
  draft: "",
  at: 0,
  isStale: false,
  problem: null,
  isRepaired: false,
};

/** The turn that a crash left to be decided, if the chat has one: what waits, waits for it. */
export const undecidedTurn = ({ order, turns }: ChatState): TurnView | undefined =>
  order
    .map((id) => turns[id])
    .findLast((view) => view?.turn.recovery === "interrupted" || view?.turn.recovery === "unknown");

/** Whether a turn of the chat runs or is about to. */
export const isBusy = (state: ChatState): boolean => {
  const { order, turns, waiting } = state;
  if (order.length > 0 && turns[order.at(-1) ?? ""]?.turn.state !== "done") return true;
  return waiting.some(({ state }) => state === "accepted") && undecidedTurn(state) === undefined;
};

/** The chat as main gave it, whatever was known before. */
export function fromSnapshot(snapshot: ChatSnapshot, state: ChatState): ChatState {
  const { chat, turns, hasEarlier, waiting, goal = null, draft, at } = snapshot;
  const known = Object.fromEntries(turns.map((view) => [view.turn.id, view]));
  const order = turns.map(({ turn }) => turn.id);
  return { ...state, status: "open", chat, order, turns: known, hasEarlier, waiting, goal, draft, at, isStale: false };
}

/** So many turns are kept while they are read; where there are more, half of them. */
const MOST_TURNS = 200;

/** Without the earliest turns of a long conversation: they can be read again, and memory stays what it was. */
export function withoutEarliest(state: ChatState): ChatState {
  if (state.order.length <= MOST_TURNS) return state;
  const order = state.order.slice(-MOST_TURNS / 2);
  const kept = new Set(order);
  const turns = Object.fromEntries(Object.entries(state.turns).filter(([id]) => kept.has(id)));
  return { ...state, order, turns, hasEarlier: true };
}

/** Pure: the same events always give the same screen. What the snapshot has already is passed over. */
export function applyToChat(state: ChatState, { n, event }: NumberedEvent, chatId: string): ChatState {
  if (event.type === "reset") return { ...state, isStale: true };
  if (n <= state.at || !isAbout(event, chatId)) return state;
  return { ...applyEvent(state, event), at: n };
}

function isAbout(event: StreamEvent, chatId: string): boolean {
  if (event.type === "accepted") return event.inbound.sessionId === chatId;
  if (event.type === "turn.stored") return event.view.turn.sessionId === chatId;
  if (event.type === "chat") return event.chat.id === chatId;
  if ("chatId" in event) return event.chatId === chatId;
  return "sessionId" in event && event.sessionId === chatId;
}

function applyEvent(state: ChatState, event: StreamEvent): ChatState {
  switch (event.type) {
    case "accepted":
      return { ...state, waiting: [...state.waiting.filter(({ id }) => id !== event.inbound.id), event.inbound] };
    case "waiting":
      return { ...state, waiting: event.waiting };
    case "chat":
      return { ...state, chat: event.chat };
    case "chat.removed":
      return { ...state, status: "gone" };
    case "chat.stale":
      return { ...state, isStale: true };
    case "turn.started":
      return started(state, event);
    case "goal":
    case "chat.goal":
      return { ...state, goal: event.goal };
    case "turn.stored":
      return stored(state, event.view);
    default:
      return "turnId" in event ? changed(state, event) : state;
  }
}

/** The message leaves the queue and becomes a turn: at the end, or in place of the turn it asks again. */
function started(state: ChatState, event: Extract<StreamEvent, { type: "turn.started" }>): ChatState {
  const { turnId, inboundId, sessionId } = event;
  const known = state.turns[turnId];
  if (known) return event.continued ? { ...state, turns: { ...state.turns, [turnId]: continuedView(known) } } : state;
  const found = state.waiting.find(({ id }) => id === inboundId);
  const inbound: Inbound = found ?? {
    id: inboundId,
    sessionId,
    channel: "",
    text: "",
    state: "taken",
    createdAt: Date.now(),
  };
  const view = startedView(inbound, { turnId, startedAt: Date.now() });
  const place = state.order.indexOf(inbound.replaces ?? "");
  const replaced = state.turns[inbound.replaces ?? ""];
  const variants = replaced ? [...replaced.variants, turnId] : [turnId];
  return {
    ...state,
    order: [...(place === -1 ? state.order : state.order.slice(0, place)), turnId],
    turns: { ...state.turns, [turnId]: { ...view, variants } },
    waiting: state.waiting.filter(({ id }) => id !== inboundId),
  };
}

function stored(state: ChatState, view: TurnView): ChatState {
  if (!state.turns[view.turn.id]) return state;
  return { ...state, turns: { ...state.turns, [view.turn.id]: view } };
}

function changed(state: ChatState, event: Extract<StreamEvent, { turnId: string }>): ChatState {
  const view = state.turns[event.turnId];
  if (!view) return state; // a priority command that runs beside, or a turn of another branch
  return { ...state, turns: { ...state.turns, [event.turnId]: applyTurnEvent(view, event) } };
}
