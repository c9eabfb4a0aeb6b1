import { toAppError } from "../../shared/errors.ts";
import type { Inbound } from "../../shared/turn.ts";
import type { Log } from "../lib/log.ts";
import { findCommand } from "./commands.ts";
import { changeGoal } from "./goals.ts";
import { takeIn } from "./intake.ts";
import { continuedTurn, freshTurn, liveTurn } from "./live-turn.ts";
import { createPlaces, type Running } from "./places.ts";
import type { LoopControl, Turn, TurnDeps } from "./turn.ts";
import { createUndecided } from "./undecided.ts";

/** Sessions that may have a turn running at once. */
const WIDTH = 3;
const SHUTDOWN_MS = 15_000;

export type LoopDeps = Omit<TurnDeps, "signal" | "control">;

/**
 * The loop around turns. A message is on disk before it is acknowledged; inside a session turns are serial and in the
 * order of the messages; at most three sessions run at once. Priority commands run beside everything else.
 */
export function createLoop(deps: LoopDeps) {
  const { store, log, now } = deps;
  const places = createPlaces(WIDTH, startNext);
  /** Turns of priority commands: they wait for nothing. */
  const beside = new Set<Running>();
  const undecided = createUndecided({ store, now, emit: deps.emit, wake: (sessionId) => places.wake(sessionId) });

  function accept(message: Omit<Inbound, "state" | "createdAt">) {
    const { text, repaired } = takeIn(message.text);
    const inbound = { ...message, text, createdAt: now() };
    const command = findCommand(text);
    if (!undecided.accept(inbound, { supersedes: !command || command.asks }))
      return { inboundId: message.id, repaired };
    if (command?.priority) startBeside({ ...inbound, state: "accepted" });
    else places.wake(message.sessionId);
    return { inboundId: message.id, repaired };
  }

  /**
   * What a session does next, if the store can be read: the turn that is to go on, else its next message. Messages behind
   * a turn that is not decided yet wait with it. What could not be started still waits.
   */
  function startNext(sessionId: string): Running | undefined {
    try {
      const turn = undecided.takeGoingOn(sessionId);
      if (turn) return run(continuedTurn(turn, deps));
      const next = store.nextAccepted(sessionId);
      if (next && undecided.inSession(sessionId) && !findCommand(next.text)) return undefined;
      return next && start(next);
    } catch (thrown) {
      log.error("queue not read", { session: sessionId, code: toAppError(thrown).code });
      return undefined;
    }
  }

  function startBeside(inbound: Inbound): void {
    const running = start(inbound);
    beside.add(running);
    void running.ended.then(() => beside.delete(running));
  }

  function start(inbound: Inbound): Running {
    if (inbound.replaces !== undefined) deps.rows.forget(inbound.sessionId); // another branch is shown from here on
    return run(freshTurn(inbound, deps));
  }

  const run = (turn: Turn) => runningTurn(turn, { ...deps, control });

  /** Ends what runs in a session and keeps what it produced; what waits becomes drafts for the person to send or drop. */
  function stop(sessionId: string) {
    const drafts = store.draftWaiting(sessionId).length;
    const running = places.running(sessionId);
    running?.abort.abort();
    return { stopped: running ? 1 : 0, drafts };
  }

  const everything = () => [...places.all(), ...beside];
  const status = () => ({ running: places.all().length, waiting: store.sessionsWaiting().length });
  const control: LoopControl = {
    stop,
    status,
    changeGoal: (sessionId, action) => changeGoal(store, sessionId, action, now()),
  };

  return {
    accept,
    stop,
    status,
    isRunning: (sessionId: string): boolean => places.running(sessionId) !== undefined,
    control,
    recovery: undecided.desk,
    wake: places.wake,
    ...ends({ everything, closePlaces: places.close, log }),
  };
}

interface EndsOptions {
  /** What runs at this moment. */
  readonly everything: () => Running[];
  readonly closePlaces: () => void;
  readonly log: Log;
}

/** Waiting for what runs, and ending it. */
function ends({ everything, closePlaces, log }: EndsOptions) {
  /** Resolves when what runs in the session now is over. */
  async function settled(sessionId: string): Promise<void> {
    const here = everything().filter((running) => running.sessionId === sessionId);
    await Promise.all(here.map(({ ended }) => ended));
  }

  /** Resolves when nothing runs and nothing waits for a place. */
  async function idle(): Promise<void> {
    while (everything().length > 0) await Promise.all(everything().map(({ ended }) => ended));
  }

  /** Takes nothing new, stops every turn and waits until its rows are closed. Safe to call twice. */
  async function close(): Promise<void> {
    closePlaces();
    for (const { abort } of everything()) abort.abort();
    await Promise.race([idle(), afterMs(SHUTDOWN_MS)]);
    const left = everything().length;
    if (left > 0) log.warn("turns did not end at shutdown", { left });
  }

  return { settled, idle, close };
}

function runningTurn(turn: Turn, deps: Omit<TurnDeps, "signal">): Running {
  const abort = new AbortController();
  return { sessionId: turn.sessionId, abort, ended: liveTurn(turn, { ...deps, signal: abort.signal }) };
}

export type Loop = ReturnType<typeof createLoop>;

const afterMs = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
