import { AppError } from "../../shared/errors.ts";
import type { CallOutput, CallParsed } from "../../shared/ipc.ts";
import type { Inbound } from "../../shared/turn.ts";
import type { DeskStore, RecoveryDesk } from "./backend.ts";
import type { Client } from "./client.ts";
import type { DeskParts } from "./desk-parts.ts";
import type { Handlers } from "./serve.ts";

type TurnCalls = Extract<
  keyof Handlers<Client>,
  `turns.${string}` | `calls.${string}` | `waiting.${string}` | `goals.${string}`
>;

/** Turns and the messages they come from. */
export function turnHandlers(desk: DeskParts): Pick<Handlers<Client>, TurnCalls> {
  const { backend, live, storeOfTurn, storeOfInbound } = desk;
  return {
    "turns.send": (input, { shell }) => send(desk, input, shell.kind),
    "turns.stop": ({ chatId }) => {
      const { stopped, drafts } = backend.stop(chatId);
      return { stopped: stopped > 0, drafts };
    },
    "turns.retryNow": ({ chatId }) => {
      backend.retryNow(chatId);
      return {};
    },
    "turns.continue": ({ turnId }) => {
      recoveryOf(desk, turnId).continueTurn(turnId);
      return {};
    },
    "turns.dismiss": ({ turnId }) => {
      recoveryOf(desk, turnId).dismiss(turnId);
      return {};
    },
    "calls.decide": ({ turnId, callId, decision }) => {
      recoveryOf(desk, turnId).decide(turnId, callId, decision);
      return {};
    },
    "turns.left": () => ({ left: leftIn(backend.stores.kept) }), // what is in memory only does not outlive a crash
    "turns.show": ({ turnId }) => {
      const store = storeOfTurn(turnId);
      const { sessionId } = found(store.turn(turnId), turnId);
      if (backend.isRunning(sessionId)) {
        throw new AppError("bad-request", "An answer is being written in this chat. Stop it, or wait for its end.");
      }
      store.showTurn(turnId);
      live.tell({ type: "chat.stale", chatId: sessionId });
      return {};
    },
    "turns.get": ({ turnId }) => live.current(found(storeOfTurn(turnId).turnView(turnId), turnId)),
    "turns.sent": ({ turnId, number }) => ({ sent: storeOfTurn(turnId).sentRequest(turnId, number) ?? null }),
    "waiting.send": ({ inboundId }) => {
      const { sessionId } = settle(desk, storeOfInbound(inboundId).sendDraft(inboundId));
      backend.wake(sessionId);
      return {};
    },
    "waiting.when": ({ inboundId, when }) => {
      settle(desk, storeOfInbound(inboundId).setAfter(inboundId, when === "after"));
      return {};
    },
    "waiting.drop": ({ inboundId }) => {
      settle(desk, storeOfInbound(inboundId).dropInbound(inboundId));
      return {};
    },
    "goals.change": ({ chatId, action }) => {
      live.tell({ type: "chat.goal", chatId, goal: backend.changeGoal(chatId, action) });
      return {};
    },
  };
}

function send(
  { backend, deleted, storeOf }: DeskParts,
  { chatId, inboundId, text, replaces }: CallParsed<"turns.send">,
  channel: string,
): CallOutput<"turns.send"> {
  if (deleted.has(chatId)) throw new AppError("not-found", `The chat ${chatId} was deleted. Bring it back first.`);
  const store = storeOf(chatId);
  const known = store.inbound(inboundId);
  if (known && known.sessionId !== chatId) {
    throw new AppError("bad-request", `The message ${inboundId} belongs to another chat. Send it under a new id.`);
  }
  if (known) return { inboundId, repaired: false };
  if (replaces !== undefined && store.turn(replaces)?.sessionId !== chatId) throw noTurn(replaces);
  const more = replaces !== undefined && { replaces };
  const accepted = backend.accept({ id: inboundId, channel, sessionId: chatId, text, ...more });
  if (replaces === undefined) store.setDraft(chatId, "", backend.now()); // what is sent is no draft any more
  return accepted;
}

/** Every page is told of a decision by the agent. */
function recoveryOf({ backend, storeOfTurn }: DeskParts, turnId: string): RecoveryDesk {
  return backend.recovery(found(storeOfTurn(turnId).turn(turnId), turnId).sessionId);
}

function leftIn(store: DeskStore): CallOutput<"turns.left">["left"] {
  return store.recoveries().flatMap(({ id, sessionId }) => {
    const [chat, view] = [store.chat(sessionId), store.turnView(id)];
    return chat && view ? [{ chatTitle: chat.title, view }] : []; // not of a chat that was deleted
  });
}

function settle({ live }: DeskParts, inbound: Inbound): Inbound {
  live.tellWaiting(inbound.sessionId);
  return inbound;
}

const noTurn = (turnId: string) => new AppError("not-found", `There is no answer ${turnId} in this chat.`);

function found<T>(value: T | undefined, turnId: string): T {
  if (value === undefined) throw noTurn(turnId);
  return value;
}
