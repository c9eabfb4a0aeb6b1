import type { Inbound } from "../../shared/turn.ts";
import type { Log } from "../lib/log.ts";
import { findCommand, isAnsweredHere } from "./commands.ts";
import { changeGoal } from "./goals.ts";
import { takeIn } from "./intake.ts";
import { freshTurn, liveTurn } from "./live-turn.ts";
import { createPause } from "./pause.ts";
import { createPlaces, type Running } from "./places.ts";
import { createRefused, type Refused } from "./refused.ts";
import type { LoopControl, Turn, TurnDeps } from "./turn.ts";
import { createUndecided } from "./undecided.ts";

/** Sessions that may have a turn running at once. */
const WIDTH = 3;
const SHUTDOWN_MS = 15_000;

export type LoopDeps = Omit<TurnDeps, "signal" | "control" | "pause">;

/**
 * The loop around turns. A message is on disk before it is acknowledged; inside a session turns are serial and in the
 * order of the messages; at most three sessions run at once. Priority commands run beside everything else.
 */
export function createLoop(deps: LoopDeps) {
  const { store, log, now, emit } = deps;
  const places = createPlaces(WIDTH, startNext);
  /** Turns of priority commands: they wait for nothing. */
  const beside = new Set<Running>();
  const undecided = createUndecided({ store, now, emit, wake: places.wake });
  const refused = createRefused({ log, wake: places.wake, ended: (turn) => emit({ type: "settled", ...turn }) });
  const changeGoalOf: LoopControl["changeGoal"] = (sessionId, action) => changeGoal(store, sessionId, action, now());
  const control: LoopControl = { stop, status, changeGoal: changeGoalOf };
  const { start, run } = beginning({ ...deps, control }, refused);

  function accept(message: Omit<Inbound, "state" | "createdAt">) {
    const { text, repaired } = takeIn(message.text);
    const inbound = { ...message, text, createdAt: now() };
    if (!undecided.accept(inbound, { supersedes: !isAnsweredHere(text) })) return { inboundId: message.id, repaired };
    if (findCommand(text)?.priority) startBeside({ ...inbound, state: "accepted" });
    else places.wake(message.sessionId);
    return { inboundId: message.id, repaired };
  }

  /**
   * What a session does next: the turn that is to go on, else its next message. Messages behind a turn that is not
   * decided yet wait with it. What could not be begun still waits.
   */
  function startNext(sessionId: string): Running | undefined {
    return refused.begin(sessionId, () => {
      const turn = undecided.takeGoingOn(sessionId);
      if (turn) return run(turn);
      const next = store.nextAccepted(sessionId);
      if (next && undecided.inSession(sessionId) && !isAnsweredHere(next.text)) return undefined;
      return next && start(next);
    });
  }

  function startBeside(inbound: Inbound): void {
    const running = refused.begin(inbound.sessionId, () => start(inbound));
    if (!running) return; // it waits with the others
    beside.add(running);
    void running.ended.then(() => beside.delete(running));
  }

  /**
   * Ends what runs in a session and keeps what it produced; what waits becomes drafts for the person to send or drop, and
   * an interrupted turn that was about to go on waits for a decision again.
   */
  function stop(sessionId: string) {
    const running = places.running(sessionId);
    running?.abort.abort(); // first of all: a disk that is full must not keep it going
    const drafts = store.draftWaiting(sessionId).length;
    const held = undecided.hold(sessionId);
    return { stopped: running || held ? 1 : 0, drafts };
  }

  function takeNothing(): void {
    places.close();
    refused.close();
  }

  function status() {
    return { running: places.all().length, waiting: store.sessionsWaiting().length };
  }

  const everything = () => [...places.all(), ...beside];

  return {
    accept,
    stop,
    status,
    isRunning: (sessionId: string): boolean => places.running(sessionId) !== undefined,
    /** A turn that waits for its next try does not wait any longer. */
    retryNow: (sessionId: string): void => places.running(sessionId)?.pause.end(),
    control,
    recovery: undecided.desk,
    wake: places.wake,
    ...ends({ everything, takeNothing, log }),
  };
}

/** How a turn begins. Throws as the store does; then nothing has begun. */
function beginning(deps: LoopDeps & Pick<TurnDeps, "control">, refused: Refused) {
  function start(inbound: Inbound): Running {
    const turn = freshTurn(inbound, deps);
    const { id, sessionId, inboundId, startedAt } = turn;
    deps.store.beginTurn({ id, sessionId, inboundId, startedAt });
    if (inbound.replaces !== undefined) deps.rows.forget(sessionId); // another branch is shown from here on
    return run(turn);
  }

  function run(turn: Turn): Running {
    const abort = new AbortController();
    const pause = createPause();
    const ended = liveTurn(turn, { ...deps, signal: abort.signal, pause });
    const over = ended.then((storeEnd) => storeEnd && refused.keepEnd(turn, storeEnd));
    return { sessionId: turn.sessionId, abort, pause, ended: over };
  }

  return { start, run };
}

interface EndsOptions {
  /** What runs at this moment. */
  readonly everything: () => Running[];
  readonly takeNothing: () => void;
  readonly log: Log;
}

/** Waiting for what runs, and ending it. */
function ends({ everything, takeNothing, log }: EndsOptions) {
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
    takeNothing();
    for (const { abort } of everything()) abort.abort();
    await Promise.race([idle(), afterMs(SHUTDOWN_MS)]);
    const left = everything().length;
    if (left > 0) log.warn("turns did not end at shutdown", { left });
  }

  return { settled, idle, close };
}

export type Loop = ReturnType<typeof createLoop>;

const afterMs = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
