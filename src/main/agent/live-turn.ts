import { toAppError, toWire, type WireError } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/events.ts";
import { type Inbound, type TurnRecord, TurnState } from "../../shared/turn.ts";
import { isAnsweredHere } from "./commands.ts";
import { runTurn } from "./machine.ts";
import { settleTurn } from "./settle.ts";
import type { Store } from "./store.ts";
import type { Turn, TurnDeps } from "./turn.ts";

/** A turn that begins with a message of the queue. */
export function freshTurn(
  { id: inboundId, sessionId, text: input }: Inbound,
  deps: Pick<TurnDeps, "newId" | "now">,
): Turn {
  return {
    id: deps.newId(),
    sessionId,
    inboundId,
    input,
    state: "restore",
    startedAt: deps.now(),
    history: [],
    overflows: 0,
    requests: 0,
  };
}

/** A turn that a crash interrupted, from what is stored of it: it goes on at the place of the crash. */
export function continuedTurn(record: TurnRecord, { store, now }: Pick<TurnDeps, "store" | "now">): Turn {
  const { id, sessionId, inboundId, startedAt, crashPlace = "" } = record;
  const [state] = crashPlace.split(" ");
  const userMessage = store.turnMessages(id).find(({ role, kind }) => role === "user" && kind === "chat");
  return {
    id,
    sessionId,
    inboundId,
    input: store.inbound(inboundId)?.text ?? "",
    state: TurnState.exclude(["done"]).catch("restore").parse(state), // from there on nothing is done twice
    startedAt,
    continued: true,
    session: store.openSession(sessionId, now()),
    ...(userMessage && { userMessage }),
    history: [],
    overflows: 0,
    requests: Math.max(0, ...store.requests(id).map(({ number }) => number)),
  };
}

/**
 * One turn that has begun, to its end. Never rejects: this is the one catch for a turn that could not be stored.
 * `turn.ended` is told exactly once, and nothing after it carries the turn's id. Where even that the turn broke could not
 * be stored, it resolves with how to store it.
 */
export async function liveTurn(turn: Turn, deps: TurnDeps): Promise<(() => void) | undefined> {
  const { id, sessionId, inboundId, continued } = turn;
  const emit = untilEnded(keepingNotices(deps));
  try {
    await null; // the message is acknowledged before anything is told of its turn
    emit({ type: "turn.started", sessionId, turnId: id, inboundId, ...(continued && { continued }) });
    await runTurn(turn, { ...deps, emit });
    return undefined;
  } catch (thrown) {
    return endBroken(turn, thrown, { ...deps, emit });
  }
}

/** What the person is told beside the answer stays with the turn. */
function keepingNotices({ store, log, emit }: TurnDeps): (event: TurnEvent) => void {
  return (event) => {
    if (event.type === "notice") {
      try {
        store.addNotice(event.turnId, { code: event.code, text: event.text });
      } catch (thrown) {
        log.warn("notice not stored", { turn: event.turnId, code: toAppError(thrown).code }); // it is told all the same
      }
    }
    emit(event);
  };
}

function untilEnded(emit: (event: TurnEvent) => void): (event: TurnEvent) => void {
  let ended = false;
  return (event) => {
    if (ended) return;
    ended = event.type === "turn.ended";
    emit(event);
  };
}

function endBroken(turn: Turn, thrown: unknown, { store, log, now, emit }: TurnDeps): (() => void) | undefined {
  const { id, sessionId } = turn;
  const error = toWire(toAppError(thrown));
  log.error("turn broke", { turn: id, code: error.code });
  const end = () => storeBroken(store, turn, error, now());
  let left: typeof end | undefined;
  try {
    end();
  } catch (again) {
    log.error("end of turn not stored", { turn: id, code: toAppError(again).code });
    left = end;
  }
  emit({ type: "turn.ended", sessionId, turnId: id, stopReason: "error", text: "", error });
  return left;
}

/** What was typed is in the session, however early it broke. */
function storeBroken(store: Store, { id, sessionId, input }: Turn, error: WireError, now: number): void {
  store.atomically(() => {
    if (store.turnMessages(id).length === 0) {
      const kind = isAnsweredHere(input) ? "command" : "chat";
      const row = { sessionId, turnId: id, role: "user", kind, status: "complete", createdAt: now } as const;
      store.append({ ...row, parts: [{ type: "text", text: input }] });
    }
    settleTurn(store, { id, sessionId }, now);
    store.endTurn(id, { stopReason: "error", error, endedAt: now });
  });
}
